"""Every zoom level equals the definition: means and maxima of what Pattern says."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from regard.attention import AlibiBias, Causal, Padding, Pattern, Window
from regard.attention.normalisers import Unnormalised
from regard.viewer import pyramid
from regard.viewer.pyramid import build_pyramid, cells, levels, pool, stored_level

MASKS = {
    "none": (None, 300, 270),
    "causal": (Causal(), 391, 391),
    "later": (Causal(), 130, 300),
    "window": (Window(40, 3), 290, 290),
    "padding": (Padding.from_lengths([133], keys=300), 260, 300),
}


def pattern(name: str, heads: int = 2, width: int = 8) -> Pattern:
    mask, queries, keys = MASKS[name]
    query, key = torch.randn(1, heads, queries, width), torch.randn(1, heads, keys, width)
    return Pattern(query, key, mask=mask, bias=AlibiBias(torch.full((heads,), 0.01)))


def by_definition(weights: torch.Tensor, level: int, how: str) -> torch.Tensor:
    """From the whole matrix, by numpy: sums over sizes, or maxima."""
    table = weights.double().numpy()
    over = np.maximum if how == "max" else np.add
    for axis in (-2, -1):
        begins = np.arange(0, table.shape[axis], 1 << level)
        counts = np.diff(np.append(begins, table.shape[axis]))
        table = over.reduceat(table, begins, axis)
        if how == "mean":
            table = table / (counts[:, None] if axis == -2 else counts)
    return torch.from_numpy(table).float()


@pytest.mark.parametrize("how", ["mean", "max"])
@pytest.mark.parametrize("name", MASKS)
def test_every_level_is_the_mean_or_the_maximum_of_its_cells(name, how, monkeypatch):
    monkeypatch.setattr(pyramid, "ROWS", 128)
    monkeypatch.setattr(pyramid, "STRIP", 128)
    monkeypatch.setattr(pyramid, "PANEL", 3)
    whole = pattern(name)
    weights, stored = whole.weights()[0], build_pyramid(whole, 2)
    _, heads, queries, keys = whole.shape
    for level in range(levels(whole) + 1):
        expected = by_definition(weights, level, how)
        everything = slice(0, cells(queries, level)), slice(0, cells(keys, level))
        for known in (stored, None):
            result = pool(whole, known, slice(0, heads), level, *everything, how)
            assert_close(result, expected, atol=1e-6, rtol=0)
        part = slice(1, min(9, everything[0].stop)), slice(2, min(17, everything[1].stop))
        result = pool(whole, stored, slice(1, 2), level, *part, how)
        assert_close(result, expected[1:2, part[0], part[1]], atol=1e-6, rtol=0)


@pytest.mark.parametrize("mask", [None, Causal()])
@pytest.mark.parametrize("length", [1024, 1009, 1025])  # whole cells; the last one of one row and one column
@pytest.mark.parametrize("sharpness", [0.1, 30.0])
def test_means_in_sixteen_bits_are_near_enough(sharpness, length, mask):
    # in float64: scores up to 300 are rounded to 3e-5 in float32, on each processor in its own way
    query, key = torch.randn(2, 1, 2, length, 8, dtype=torch.float64).unbind()
    key[0, :, -1] = query[0, :, -1]  # the last query rests on the last key, alone in its cell
    whole = Pattern(query, key * sharpness, mask=mask)
    for level in (4, 5):
        stored = build_pyramid(whole, level)
        assert stored.is_16_bit
        for above in (level, level + 1, level + 3):
            everything = slice(0, cells(length, above))
            result = pool(whole, stored, slice(0, 2), above, everything, everything, "mean")
            assert_close(result, by_definition(whole.weights()[0], above, "mean"), atol=1e-6, rtol=0)
    assert not build_pyramid(whole, 3).is_16_bit
    assert not build_pyramid(replace(whole, normaliser=Unnormalised()), 4).is_16_bit


@pytest.mark.parametrize("length", [1024, 1009])
def test_the_bytes_of_a_pyramid_are_known_before_it_is_made(length):
    whole = Pattern(torch.randn(1, 2, length, 8), torch.randn(1, 2, length, 8), mask=Causal())
    for level in (2, 4):
        assert build_pyramid(whole, level).size == pyramid.pyramid_bytes(whole, level)


def test_rows_that_were_set_by_hand_are_on_the_map():
    whole = pattern("causal")
    ahead = torch.zeros(391)
    ahead[390] = 1  # where the mask would forbid it
    changed = whole.set(ahead, heads=[1], rows=[0])
    stored = build_pyramid(changed, 3)
    result = pool(changed, stored, slice(1, 2), 3, slice(0, 1), slice(0, 49), "max")
    assert result[0, 0, -1] == 1


@pytest.mark.parametrize("mask", [None, Causal(), Window(100, 100)])
def test_the_pyramid_is_as_fine_as_its_share_of_memory_allows(mask):
    whole = Pattern(torch.randn(1, 2, 2500, 64), torch.randn(1, 2, 2500, 64), mask=mask)
    level, room = stored_level(whole), pyramid.SHARE * (whole.query.nbytes + whole.key.nbytes)
    assert level is not None
    assert build_pyramid(whole, level).size <= room
    assert level == 0 or pyramid.pyramid_bytes(whole, level - 1) > room
    assert build_pyramid(whole, level).size == pyramid.pyramid_bytes(whole, level)


def test_a_map_of_one_tile_is_not_stored():
    assert stored_level(Pattern(torch.randn(1, 1, 256, 4), torch.randn(1, 1, 256, 4))) is None


def test_the_work_can_be_stopped_and_tells_how_far_it_is():
    fractions = []

    def tell(done):
        fractions.append(done)
        if len(fractions) == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        build_pyramid(pattern("causal"), 2, tell)
    assert fractions == sorted(fractions)
    assert 0 < fractions[-1] < 1
