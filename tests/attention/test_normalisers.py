"""Every normaliser: a tile from the summary is that of the whole row; the forbidden gets exactly nothing."""

import pytest
import torch
from attention.plain import NORMALISER_EXAMPLES
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import NORMALISERS, Causal, Hard, Pattern, Softmax, Sum, Unnormalised, attend
from regard.errors import ShapeError


def some_scores(dtype=torch.float32):
    """Positive, some forbidden, one row wholly so."""
    scores = torch.rand(2, 3, 4, 9, dtype=dtype) + 0.1
    scores[torch.rand(2, 3, 4, 9) < 0.3] = -torch.inf
    scores[0, 1, 2] = -torch.inf
    return scores


@pytest.mark.parametrize("name", NORMALISERS)
def test_whole_rows_equal_the_definition(name):
    normaliser, plain = NORMALISER_EXAMPLES[name]
    scores = some_scores()
    weights = normaliser.whole(scores.clone(), torch.arange(9))
    assert_close(weights, plain(scores))
    assert (weights[scores == -torch.inf] == 0).all()


@pytest.mark.parametrize("name", NORMALISERS)
@pytest.mark.parametrize("columns", [slice(0, 9), slice(2, 5), slice(8, 9)], ids=str)
def test_a_tile_and_the_summary_give_that_part_of_the_row(name, columns):
    normaliser, plain = NORMALISER_EXAMPLES[name]
    scores, places = some_scores(), torch.arange(20, 29)
    summary = normaliser.summary(scores.clone(), places)
    assert all(part.shape[:-1] == scores.shape[:-1] for part in summary)
    tile = normaliser.weights(scores[..., columns].clone(), summary, places[columns])
    assert_close(tile, plain(scores)[..., columns])


@pytest.mark.parametrize("name", NORMALISERS)
def test_no_keys_give_no_weights(name):
    normaliser = NORMALISERS[name]()
    scores, places = torch.zeros(1, 2, 3, 0), torch.arange(0)
    assert normaliser.whole(scores, places).shape == scores.shape
    assert normaliser.weights(scores, normaliser.summary(scores, places), places).shape == scores.shape


@pytest.mark.parametrize("normaliser", [Softmax(), Unnormalised(), Sum()], ids=repr)
def test_gradients_are_those_of_finite_differences(normaliser):
    scores = some_scores(torch.float64)
    free = (scores != -torch.inf).nonzero(as_tuple=True)
    numbers = scores[free].requires_grad_()
    places = torch.arange(9)

    def whole(numbers):
        return normaliser.whole(torch.full_like(scores, -torch.inf).index_put(free, numbers), places)

    def by_summary(numbers):
        filled = torch.full_like(scores, -torch.inf).index_put(free, numbers)
        return normaliser.weights(filled, normaliser.summary(filled, places), places)

    assert torch.autograd.gradcheck(whole, numbers)
    assert torch.autograd.gradcheck(by_summary, numbers)


@pytest.mark.parametrize("k", [1, 2, 20])
def test_hard_attention_learns_by_the_gradient_of_the_softmax(k):
    query, key, value = random_heads(dtype=torch.float64)
    toward = torch.randn(2, 4, 6, 8, dtype=torch.float64)

    def of_scores(normaliser):
        scores = (query @ key.transpose(-1, -2)).detach().requires_grad_()
        weights = normaliser.whole(scores, torch.arange(6))
        return torch.autograd.grad((weights @ value * toward).sum(), scores)[0]

    assert_close(of_scores(Hard(k)), of_scores(Softmax()))
    hard, soft = (attend(query, key, value, normaliser=n, mask=Causal()) for n in (Hard(k), Softmax()))
    for mine, theirs in zip(
        *(torch.autograd.grad((x * toward).sum(), (query, key)) for x in (hard, soft)), strict=True
    ):
        assert_close(mine, theirs)


def test_hard_attention_looks_at_the_best_keys_alone():
    query, key, value = random_heads()
    scores = query @ key.transpose(-1, -2) / 8**0.5
    best = value.gather(2, scores.argmax(-1)[..., None].expand(-1, -1, -1, 8))
    assert_close(attend(query, key, value, normaliser=Hard()), best)
    weights = Pattern(query, key, normaliser=Hard(3)).weights()
    assert ((weights > 0).sum(-1) == 3).all()
    assert_close(weights.sum(-1), torch.ones(2, 4, 6))
    assert_close(Pattern(query, key, normaliser=Hard(99)).weights(), Pattern(query, key).weights())


def test_hard_attention_among_equals_takes_one():
    query, key, _ = random_heads()
    weights = Pattern(query, 0 * key, mask=Causal(), normaliser=Hard()).weights()
    assert ((weights == 1).sum(-1) == 1).all()
    assert_close(weights.sum(-1), torch.ones(2, 4, 6))


def test_hard_attention_needs_a_key():
    with pytest.raises(ShapeError, match="hard attention keeps 1 key or more, got k=0"):
        Hard(0)


def test_the_linear_start_gathers_the_scores_themselves():
    query, key, value = random_heads()
    assert_close(attend(query, key, value, normaliser=Unnormalised()), query @ key.transpose(-1, -2) / 8**0.5 @ value)
