"""Looks answer exactly, tile by tile, whatever the blocks."""

import pytest
import torch
from attention.drawn import blocks_of, budgets, cases
from attention.test_attend import random_heads
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from regard.attention import Causal, Padding, Pattern, Unnormalised, Window
from regard.attention.looks import TEETH, edges, largest
from regard.errors import ShapeError

CLOSE = {"rtol": 1e-4, "atol": 1e-6}
SOFT = ("softmax", "hard")


def cells(dense, rows, columns, how):
    """Every cell by itself: cell n of m begins at n * size // m."""
    queries, keys = dense.shape[2:]
    lines = [slice(n * queries // rows, (n + 1) * queries // rows) for n in range(rows)]
    across = [slice(n * keys // columns, (n + 1) * keys // columns) for n in range(columns)]
    grid = [[dense[:, :, line, some].flatten(2) for some in across] for line in lines]
    reduce = {"mean": lambda cell: cell.mean(-1), "max": lambda cell: cell.amax(-1)}[how]
    return torch.stack([torch.stack([reduce(cell) for cell in line], -1) for line in grid], -2)


@settings(max_examples=40)
@given(cases(SOFT), budgets, st.data())
def test_every_look_equals_the_dense_reduction(recipe, budget, data):
    case = recipe()
    _, _, _, queries, keys, *_ = case.sizes
    rows, columns = data.draw(st.integers(1, queries)), data.draw(st.integers(1, keys))
    how, k = data.draw(st.sampled_from(["mean", "max"])), data.draw(st.integers(1, keys + 2))
    with torch.no_grad():
        dense = case.weights().float()
        with blocks_of(budget):
            pattern = case.pattern
            assert_close(pattern.pool(rows, columns, how), cells(dense, rows, columns, how), **CLOSE)
            assert_close(pattern.entropy(), torch.special.entr(dense).sum(-1), rtol=1e-4, atol=1e-5)
            assert_close(pattern.received(), dense.sum(2), **CLOSE)
            found = pattern.top(k)
    assert found.weights.shape == (*dense.shape[:3], min(k, keys))
    assert_close(found.weights, dense.topk(min(k, keys)).values, **CLOSE)
    visible = found.positions >= 0
    assert ((found.weights > 0) == visible).all()
    assert_close(dense.gather(-1, found.positions.clamp(min=0))[visible], found.weights[visible], **CLOSE)
    assert (found.positions.sort(-1).values.diff(dim=-1) > 0)[visible.all(-1)].all()  # no key twice


@pytest.mark.parametrize("look", ["entropy", "received", "top", "mean", "max"])
def test_looks_carry_gradients(look):
    query, key, _ = random_heads(1, 2, 5, 7, 3, dtype=torch.float64)
    mask = Padding.from_lengths([6], keys=7) & Window(3, 2)
    looks = {
        "entropy": lambda pattern: pattern.entropy(),
        "received": lambda pattern: pattern.received(),
        "top": lambda pattern: pattern.top(3).weights,
        "mean": lambda pattern: pattern.pool(3, 4, "mean"),
        "max": lambda pattern: pattern.pool(3, 4, "max"),
    }
    with blocks_of(40):
        assert torch.autograd.gradcheck(
            lambda q, k: looks[look](Pattern(q, k, mask=mask)), (query, key), fast_mode=True
        )


@settings(max_examples=10)
@given(st.integers(1, 3), st.integers(0, 70), st.booleans())
def test_the_best_of_long_rows_are_found_by_their_runs(k, more, ties):
    torch.manual_seed(more)
    weights = torch.rand(2, 3, 4 * TEETH * k + more)
    if ties:
        weights = (weights * 20).round()
    best, where = largest(weights, k)
    assert torch.equal(best, weights.topk(k).values)
    assert torch.equal(weights.gather(-1, where), best)


def test_looks_at_long_rows_see_the_whole_of_them():
    query, key, _ = (tensor.detach() for tensor in random_heads(1, 2, 3, 1000))
    pattern = Pattern(query, key, mask=Window(700))
    dense = pattern.weights()
    assert_close(pattern.top(2).weights, dense.topk(2).values)
    assert torch.equal(pattern.top(1).positions[..., 0], dense.argmax(-1))
    assert_close(pattern.pool(3, 7), cells(dense, 3, 7, "mean"))


def test_rows_set_by_hand_are_seen_past_the_mask():
    query, key, _ = (tensor.detach() for tensor in random_heads(2, 4, 6, 6))
    rows = torch.tensor([0.1, 0.0, 0.2, 0.0, 0.3, 0.4])
    pattern = Pattern(query, key, mask=Window(1)).set(rows, heads=2, rows=[0, 3])
    dense = pattern.weights()
    with blocks_of(12):
        assert_close(pattern.received(), dense.sum(2))
        assert_close(pattern.entropy(), torch.special.entr(dense).sum(-1))
        assert_close(pattern.pool(3, 4, "max"), cells(dense, 3, 4, "max"))
        assert pattern.top(2).positions[0, 2, 0].tolist() == [5, 4]


def test_the_sum_received_is_the_number_of_queries_that_see():
    query, key, _ = (tensor.detach() for tensor in random_heads(2, 4, 6, 6))
    pattern = Pattern(query, key, mask=Causal() & Padding.from_lengths([3, 6], "left", 6))
    assert_close(pattern.received().sum(-1), torch.tensor([3.0, 6.0])[:, None].expand(2, 4))


def test_entropy_goes_from_nothing_to_the_logarithm_of_the_keys():
    query, key, _ = (tensor.detach() for tensor in random_heads())
    assert_close(Pattern(query, 0 * key).entropy(), torch.full((2, 4, 6), torch.tensor(6.0).log().item()))
    assert_close(Pattern(query, key).with_temperature(1e-6).entropy(), torch.zeros(2, 4, 6), rtol=0, atol=1e-4)


def test_fewer_visible_keys_than_asked_for_are_told_apart():
    query, key, _ = random_heads(1, 1, 3, 3)
    found = Pattern(query, key, mask=Causal()).top(3)
    assert found.positions[0, 0, 0].tolist() == [0, -1, -1]
    assert set(found.positions[0, 0, 1].tolist()) == {0, 1, -1}


def test_scores_that_stay_scores_may_be_below_zero():
    query, key, _ = (tensor.detach() for tensor in random_heads())
    pattern = Pattern(query, key, normaliser=Unnormalised())
    best, where = pattern.weights().topk(6)
    assert_close(pattern.top(6).weights, best)
    assert torch.equal(pattern.top(6).positions, where)


@pytest.mark.parametrize(
    ("look", "told"),
    [
        (lambda p: p.top(0), "top takes 1 key or more, got 0"),
        (lambda p: p.pool(7, 2), "from 1 to 6 cells can be had of 6 positions, got 7"),
        (lambda p: p.pool(2, 0), "from 1 to 6 cells can be had of 6 positions, got 0"),
        (lambda p: p.pool(-1, 2), "from 1 to 6 cells can be had of 6 positions, got -1"),
        (lambda p: p.pool(10**9, 10**9), "from 1 to 6 cells can be had of 6 positions, got 1000000000"),
        (lambda p: p.pool(2, 2, "sum"), "cells are pooled by 'mean' or 'max', got 'sum'"),
    ],
)
def test_looks_that_cannot_be_had_are_refused(look, told, unchecked):
    query, key, _ = random_heads()
    with pytest.raises(ShapeError, match=told):
        look(Pattern(query, key))


def test_cells_are_nearly_equal_and_cover_everything():
    cuts = edges(10, 4)
    assert cuts.tolist()[0] == 0
    assert cuts.tolist()[-1] == 10
    assert set(cuts.diff().tolist()) == {2, 3}
