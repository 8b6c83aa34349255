"""docs/match.md: viewers and films."""

import math

import torch
from torch.testing import assert_close

from regard.attention import Dot, Pattern, attend

#                         romance action comedy
TASTE = torch.tensor([[2.0, -2.0, 1.0], [-1.0, 3.0, 0.0], [-1.0, -1.0, -2.0]])
FILMS = torch.tensor([[2.0, -1.0, 0.0], [-1.0, 2.0, 0.0], [0.5, -1.0, 2.0], [0.0, 1.0, 1.0]])
MATCH = [[6.0, -6.0, 5.0, -1.0], [-5.0, 7.0, -3.5, 3.0], [-1.0, -1.0, -3.5, -3.0]]  # reckoned by hand


def pattern(taste=TASTE, films=FILMS):
    return Pattern(taste[None, None], films[None, None], score=Dot(1.0))


def test_the_score_is_the_sum_of_the_agreements():
    scores = pattern().scores(slice(0, 3), slice(0, 4))[0, 0]
    assert_close(scores, torch.tensor(MATCH))


def test_weights_are_shares_of_the_exponentials():
    for row, scores in zip(pattern()[0, 0].tolist(), MATCH, strict=True):
        total = sum(map(math.exp, scores))
        assert_close(row, [math.exp(score) / total for score in scores], rtol=1e-5, atol=1e-7)


def test_what_is_gathered_is_a_mean_by_weight():
    minutes = torch.tensor([105.0, 130.0, 90.0, 115.0])
    gathered = attend(TASTE[None, None], FILMS[None, None], minutes[None, None, :, None], score=Dot(1.0))
    expected = [sum(math.exp(s) * m for s, m in zip(row, minutes.tolist(), strict=True)) / sum(map(math.exp, row))
                for row in MATCH]  # fmt: skip
    assert_close(gathered[0, 0, :, 0].tolist(), expected, rtol=1e-5, atol=1e-3)


def test_two_dislikes_agree_as_two_likes_do():
    liked = pattern(torch.tensor([[0.0, 2.0, 0.0]]))[0, 0]
    disliked = pattern(torch.tensor([[0.0, -2.0, 0.0]]), -FILMS)[0, 0]
    assert_close(liked, disliked)


def test_a_turned_sign_turns_the_order_around():
    order = pattern()[0, 0].argsort(-1)
    turned = pattern(-TASTE)[0, 0].argsort(-1, descending=True)
    assert order[:2].equal(turned[:2])  # the third has a tie


def test_a_magnitude_decides_but_keeps_the_favourite():
    favourites, sure = [], []
    for size in (0.1, 1.0, 10.0):
        best = pattern(size * TASTE[:2]).top(1)
        favourites.append(best.positions.flatten().tolist())
        sure.append(best.weights.flatten())
    assert favourites == [[0, 1]] * 3
    assert (sure[0] < sure[1]).all()
    assert (sure[1] < sure[2]).all()


def test_no_taste_is_no_preference():
    assert_close(pattern(torch.zeros(1, 3))[0, 0], torch.full((1, 4), 1 / 4))
