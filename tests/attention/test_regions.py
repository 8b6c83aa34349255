"""A region is named as in an array; lists choose rows and columns like an outer product."""

import numpy as np
import pytest
import torch
from attention.drawn import blocks_of, budgets
from attention.test_attend import random_heads
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.attention import AlibiBias, Causal, GraphMask, Pattern
from regard.attention.regions import bridge, full_index, numbers, positions, runs
from regard.errors import ShapeError

SIZES = (2, 4, 5, 7)


def indices(size):
    number = st.integers(-size, size - 1)
    ends = st.none() | st.integers(-size - 2, size + 2)
    steps = st.sampled_from([None, 1, 2, 3, -1, -2])
    return st.one_of(number, st.builds(slice, ends, ends, steps), st.lists(number, max_size=4))


def picked(dense, region):
    """The same region of a tensor, one dimension after the other."""
    for dim in reversed(range(4)):
        index = region[dim]
        if isinstance(index, int):
            dense = dense.select(dim, index)
        else:
            chosen = list(range(dense.shape[dim]))[index] if isinstance(index, slice) else index
            dense = dense.index_select(dim, torch.tensor([i % SIZES[dim] for i in chosen], dtype=torch.long))
    return dense


@settings(max_examples=60)
@given(st.tuples(*map(indices, SIZES)), st.sampled_from([1, 2, 4]), budgets, st.booleans())
def test_a_region_is_that_of_the_dense_weights(region, groups, budget, edited):
    torch.manual_seed(0)
    query, key, _ = (tensor.detach() for tensor in random_heads(2, 4, 5, 7, groups=groups))
    pattern = Pattern(query, key, bias=AlibiBias(torch.rand(4)), mask=GraphMask(torch.rand(7, 7) < 0.7))
    if edited:
        pattern = pattern.set(torch.rand(2, 7).softmax(-1), heads=[0, 3], rows=[4, 1]).hide([3])
    dense = pattern.weights()
    with blocks_of(budget):
        found = pattern[region]
    assert found.shape == picked(dense, region).shape
    torch.testing.assert_close(found, picked(dense, region))


def test_what_is_left_out_is_taken_whole():
    query, key, _ = random_heads(2, 4, 5, 7)
    pattern = Pattern(query, key, mask=Causal())
    dense = pattern.weights()
    for region in [
        (0,),
        (..., 3),
        (0, ..., 3),
        (0, 1),
        (slice(None), 2),
        (1, ..., slice(2, 5), 0),
        (...,),
        (0, 1, 2, 3),
    ]:
        torch.testing.assert_close(pattern[region], dense[region])
    torch.testing.assert_close(pattern[1], dense[1])
    torch.testing.assert_close(pattern[...], dense)
    torch.testing.assert_close(pattern[torch.tensor(1), :, torch.tensor([2, 0])], dense[1][:, [2, 0]])


def test_a_row_and_a_column_are_regions():
    query, key, _ = random_heads(2, 4, 5, 7)
    pattern = Pattern(query, key)
    dense = pattern.weights()
    torch.testing.assert_close(pattern.row(-1), dense[:, :, -1])
    torch.testing.assert_close(pattern.column(3), dense[:, :, :, 3])


def test_a_region_with_steps_asks_for_few_tiles(monkeypatch):
    query, key, _ = (tensor.detach() for tensor in random_heads(1, 1, 400, 400))
    pattern, asked, tile = Pattern(query, key), [], Pattern.tile
    monkeypatch.setattr(Pattern, "tile", lambda self, *region: asked.append(region) or tile(self, *region))
    torch.testing.assert_close(pattern[0, 0, ::2, ::3], pattern.weights()[0, 0, ::2, ::3])
    assert len(asked) <= 4


def test_heads_that_share_keys_are_found_across_their_groups():
    query, key, _ = random_heads(1, 6, 3, 5, groups=2)
    pattern, alone = Pattern(query, key), Pattern(query, key.repeat_interleave(3, 1))
    for heads in (slice(2, 6), slice(1, 4), slice(1, 5), [2, 3], [5, 0]):
        torch.testing.assert_close(pattern[:, heads], alone.weights()[:, heads])


@pytest.mark.parametrize(
    ("region", "told"),
    [
        ((2,), "there is no batch member 2: 2 of them, counted from 0"),
        ((0, -5), "there is no head -5: 4 of them, counted from 0"),
        ((0, 0, [0, 9]), "there is no query 9: 5 of them, counted from 0"),
        ((0, 0, 0, 7), "there is no key 7: 7 of them, counted from 0"),
        ((0, 0, 0, 0, 0), r"a region has 4 indices \(batch, head, query, key\), got 5"),
        ((0, torch.tensor([True, False, True, True])), "a head is named by its number, got a bool tensor"),
        ((0, np.array([True, False, True, True])), "a head is named by its number, got a bool array"),
        ((True,), "a batch member is named by its number, got True"),
        ((0, np.bool_(True)), "a head is named by its number, got True"),
        ((0, 0, torch.tensor(False)), "a query is named by its number, got a bool tensor"),
        ((0, 0, [1, True]), "a query is named by its number, got True"),
        ((0, 0, 0, 2.0), "a key is named by its number, got 2.0"),
        ((0, 0, 0, torch.tensor([1.5])), "a key is named by its number, got 1.5"),
        ((0, 0, 0, np.array(2.0)), "a key is named by its number, got 2.0"),
        ((0, 0, 0, "2"), "a key is named by its number, got '2'"),
        ((0, 0, 0, {2}), r"a key is named by its number, got \{2\}"),
    ],
)
def test_what_is_not_there_is_refused(region, told):
    query, key, _ = random_heads(2, 4, 5, 7)
    with pytest.raises(ShapeError, match=told):
        _ = Pattern(query, key)[region]


@pytest.mark.parametrize(
    "number",
    [np.int64(3), np.int8(-2), np.uint8(3), np.array(3), torch.tensor(3), torch.tensor(-2, dtype=torch.int32)],
    ids=lambda number: f"{type(number).__name__} {number.dtype}",
)
def test_every_kind_of_number_is_one(number):
    query, key, _ = random_heads(2, 4, 5, 7)
    pattern = Pattern(query, key, mask=Causal())
    for region in [(0, 0, number), (0, number), (..., number)]:
        plain = tuple(int(index) if index is number else index for index in region)
        assert torch.equal(pattern[region], pattern[plain])
    assert torch.equal(pattern.scale(0.5, number).gate, pattern.scale(0.5, int(number)).gate)


@pytest.mark.parametrize("several", [np.array([2, 0]), [np.int64(2), np.int8(0)], (torch.tensor(2), 0)], ids=repr)
def test_several_numbers_of_any_kind_are_a_list(several):
    query, key, _ = random_heads(2, 4, 5, 7)
    pattern = Pattern(query, key)
    assert torch.equal(pattern[0, 1, several], pattern[0, 1, [2, 0]])


def test_numbers_count_from_the_front():
    assert numbers(None, 3, "head") == [0, 1, 2]
    assert numbers(-1, 3, "head") == [2]
    assert numbers([2, -3], 3, "head") == [2, 0]
    assert numbers(slice(None, None, -2), 5, "head") == [4, 2, 0]
    assert numbers(torch.tensor([1, 1]), 3, "head") == [1, 1]
    assert numbers(range(2), 3, "head") == [0, 1]


@given(st.lists(st.integers(0, 20)), st.sampled_from([1, 2, 3]))
def test_runs_hold_the_same_indices_in_order_and_cross_no_group(chosen, shared):
    found = runs(chosen, shared)
    assert [index for run in found for index in range(run.start, run.stop)] == chosen
    if shared > 1:
        assert all(run.start // shared == (run.stop - 1) // shared for run in found)


@given(st.lists(st.integers(0, 300), min_size=1))
def test_bridged_slices_hold_every_index_apart_and_in_order(chosen):
    held = bridge(chosen)
    every = [index for run in held for index in range(run.start, run.stop)]
    assert every == sorted(set(every))
    where = positions(chosen, held)
    assert (every if isinstance(where, slice) else [every[position] for position in where.tolist()]) == chosen


def test_an_ellipsis_stands_for_what_is_missing():
    everything = slice(None)
    assert full_index((1, ..., 2), 4) == (1, everything, everything, 2)
    assert full_index((), 4) == (everything,) * 4
    assert full_index((0, 1, ..., 2, 3), 4) == (0, 1, 2, 3)
