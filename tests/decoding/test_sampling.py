"""Tokens come as often as they are likely, and the same seed draws the same text in any company.

Also tests: decoding/draws.py.
"""

import math

import numpy as np
import pytest
import torch
from decoding.toys import Table, sources

from regard.decoding import Constraints, Sampling, decode
from regard.errors import RegardError, ShapeError

SCORES = np.array([2.0, 1.0, 0.5, 0.0, -1.0, 1.5, -2.0, 0.7])
DRAWS = 4000


def first_tokens(sample, rules=Constraints(), draws=DRAWS):
    """How often each token is drawn first."""
    table, (_, prefix) = Table(SCORES[None, None]), sources(draws)
    seeds = tuple(range(draws))
    sample = Sampling(**{**sample, "seed": seeds})
    found = decode(table, torch.zeros_like(prefix), prefix=prefix, max_new_tokens=1, sampling=sample, constraints=rules)
    return np.bincount([one.best.ids[0] for one in found], minlength=len(SCORES))


def softmax(scores):
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()


def kept(shares, top_k=0, top_p=1.0, min_p=0.0):
    """The shares that are left, one token after the other."""
    order = sorted(range(len(shares)), key=lambda token: -shares[token])
    order = order[: top_k or None]
    whole, before, left = sum(shares[token] for token in order), 0.0, []
    for token in order:
        if before < top_p * whole and shares[token] >= min_p * shares[order[0]]:
            left.append(token)
        before += shares[token]
    found = np.zeros(len(shares))
    found[left] = shares[left] / shares[left].sum()
    return found


def surprise(counts, shares):
    """How many standard deviations the chi-square is above what chance gives."""
    possible = shares > 0
    assert counts[~possible].sum() == 0
    freedom = possible.sum() - 1
    expected = shares[possible] * counts.sum()
    chi = ((counts[possible] - expected) ** 2 / expected).sum()
    return (chi - freedom) / math.sqrt(2 * max(freedom, 1))


@pytest.mark.parametrize(
    "left",
    [
        {},
        {"top_k": 3},
        {"top_p": 0.7},
        {"min_p": 0.3},
        {"top_k": 5, "top_p": 0.8, "min_p": 0.2},
        {"top_k": 99},
        {"top_p": 0.9, "min_p": 0.4},
    ],
)
@pytest.mark.parametrize("temperature", [1.0, 0.5, 3.0])
def test_tokens_come_as_often_as_they_are_likely(left, temperature):
    counts = first_tokens({"temperature": temperature, **left})
    shares = kept(softmax(SCORES / temperature), **left)
    assert surprise(counts, shares) < 4


def test_what_is_left_after_the_rules_is_drawn_from():
    counts = first_tokens({}, Constraints(banned=(0, 3), allowed=(0, 1, 2, 3, 5)))
    scores = SCORES.copy()
    scores[[0, 3, 4, 6, 7]] = -np.inf
    assert surprise(counts, softmax(scores)) < 4


def test_a_vocabulary_larger_than_a_first_look_is_cut_exactly():
    scores = np.linspace(0, 1, 1000)
    table, (_, prefix) = Table(scores[None, None]), sources(300)
    sample = Sampling(top_p=0.9, seed=tuple(range(300)))
    found = decode(table, torch.zeros_like(prefix), prefix=prefix, max_new_tokens=1, sampling=sample)
    likely = kept(softmax(scores), top_p=0.9) > 0
    drawn = [one.best.ids[0] for one in found]
    assert likely[drawn].all()
    assert min(drawn) < 250  # from far down, too


def written(rows, seeds, longest=8, **told):
    table = Table.drawn(1, 3, 8, sources=4, sharpness=0.5)
    source, prefix = torch.tensor(rows)[:, None], torch.zeros(len(rows), 1, dtype=torch.long)
    return decode(table, source, prefix=prefix, max_new_tokens=longest, sampling=Sampling(seed=seeds, **told))


def test_a_text_depends_on_its_own_seed_and_nothing_else():
    rows, seeds = [0, 1, 2, 3, 0, 1], (5, 6, 5, 7, 8, 6)
    together = [one.best for one in written(rows, seeds)]
    alone = [written([row], seed)[0].best for row, seed in zip(rows, seeds, strict=True)]
    order = [3, 5, 0, 1, 4, 2]
    shuffled = [one.best for one in written([rows[n] for n in order], tuple(seeds[n] for n in order))]
    assert together == alone
    assert shuffled == [together[n] for n in order]
    assert together[1] == together[5]
    assert together[0] != together[4]


def test_seeds_give_different_texts_and_the_same_ones_again():
    texts = [written([0], seed)[0].best.ids for seed in range(20)]
    assert len(set(texts)) > 15
    assert texts == [written([0], seed)[0].best.ids for seed in range(20)]
    assert written([0], -1)[0].best.ids != written([0], 2**70)[0].best.ids


def test_long_texts_never_run_out_of_lots():
    table = Table(np.zeros((1, 1, 1)))
    table.step = lambda state, tokens, attention_mask=None: (torch.zeros(len(tokens), 1, 2), state)
    source, prefix = sources(1)
    (found,) = decode(table, source, prefix=prefix, max_new_tokens=200, sampling=Sampling())
    ids = found.best.ids
    assert len(ids) == 200
    assert ids[:64] != ids[64:128] != ids[128:192]


def test_several_texts_of_one_source_differ_and_come_with_the_likeliest_first():
    found = written([0, 1], 3)
    several = [
        decode(
            Table.drawn(1, 3, 8, sources=4, sharpness=0.5), torch.tensor([[0], [1]]),
            prefix=torch.zeros(2, 1, dtype=torch.long), max_new_tokens=8, num_hypotheses=5, sampling=Sampling(seed=3),
        )
        for _ in range(2)
    ]  # fmt: skip
    assert several[0] == several[1]
    for one, alone in zip(several[0], found, strict=True):
        assert len({text.ids for text in one.hypotheses}) == 5
        assert [text.rank_score for text in one.hypotheses] == sorted(
            (t.rank_score for t in one.hypotheses), reverse=True
        )
        assert alone.best in one.hypotheses


def test_scores_are_those_of_the_model_whatever_was_left_out():
    table, (source, prefix) = Table.drawn(4, 4, 4), sources(1)
    sample = Sampling(temperature=0.7, top_k=3, seed=2)
    (found,) = decode(
        table, source, prefix=prefix, max_new_tokens=4, sampling=sample, constraints=Constraints(banned=(1,))
    )
    assert found.best.scores == pytest.approx(table.log_probabilities(0, found.best.ids), abs=1e-5)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (
            {"temperature": 0},
            "temperature is a number .*, got 0; without sample= the likeliest is written",
        ),
        ({"temperature": math.nan}, "temperature is a number from .*, got nan"),
        ({"top_k": -1}, "top_k is a whole number of at least 0, got -1"),
        ({"top_p": 0.0}, "top_p is a number from 1e-09 to 1, got 0.0"),
        ({"top_p": 1.5}, "got 1.5"),
        ({"min_p": -0.1}, "min_p is a number from 0 to 1, got -0.1"),
    ],
)
def test_what_cannot_be_drawn_is_said(told, message):
    with pytest.raises(RegardError, match=message):
        Sampling(**told)


def test_there_is_one_seed_or_one_for_each():
    with pytest.raises(ShapeError, match="the list of seeds has 3 numbers, expected 2"):
        written([0, 1], (1, 2, 3))


def test_drawing_and_a_beam_do_not_go_together():
    with pytest.raises(RegardError, match="sampling= or beam=, not both"):
        decode(Table.drawn(0, 2, 2), sources(1)[0], prefix=sources(1)[1], beam=2, sampling=Sampling())
