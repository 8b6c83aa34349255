"""What every mask can do, over the table: answer for a tile, join with others, be drawn. Definitions are plain.py's."""

import pytest
import torch
from attention.plain import MASK_EXAMPLES, Sizes

from regard.attention import MASKS, Causal, Mask
from regard.errors import ShapeError

SHAPES = [Sizes(), Sizes(queries=7, keys=7), Sizes(queries=1), Sizes(batch=1, heads=1), Sizes(queries=9, keys=4)]


def fits(mask, sizes):
    """Whether a mask takes calls of these sizes: a graph has no nodes for more queries than keys."""
    try:
        mask.check(sizes.batch, sizes.heads, sizes.queries, sizes.keys)
    except ShapeError:
        assert sizes.queries > sizes.keys
        return False
    return True


def examples(name):
    """Sizes, a mask, and who may look at whom, asked pair by pair: (batch, heads, queries, keys)."""
    for sizes in SHAPES:
        masks = [MASKS[name].example(sizes.batch, sizes.heads, sizes.queries, sizes.keys)]
        if name in MASK_EXAMPLES and fits(masks[0], sizes):
            masks.append(MASK_EXAMPLES[name](sizes)[0])
        for mask in masks:
            if fits(mask, sizes):
                rows, columns = torch.arange(sizes.queries) + sizes.behind, torch.arange(sizes.keys)
                pairs = [[mask.tile(row, column) for column in columns.split(1)] for row in rows.split(1)]
                grid = torch.cat([torch.cat(row, -1) for row in pairs], -2)
                yield sizes, mask, grid.expand(sizes.batch, sizes.heads, sizes.queries, sizes.keys)


@pytest.mark.parametrize("name", MASK_EXAMPLES)
def test_the_grid_is_the_definition(name):
    for sizes in SHAPES:
        mask, grid = MASK_EXAMPLES[name](sizes)
        if fits(mask, sizes):
            grid = grid.expand(sizes.batch, sizes.heads, sizes.queries, sizes.keys)
            assert torch.equal(mask.grid(sizes.queries, sizes.keys).expand_as(grid), grid)


@pytest.mark.parametrize("name", MASKS)
def test_an_example_forbids_something_and_allows_something(name):
    grid = MASKS[name].example(batch=2, heads=2, queries=5, keys=7).grid(5, 7)
    assert grid.any()
    assert not grid.all()


@pytest.mark.parametrize("name", MASKS)
def test_a_tile_is_that_region_of_the_grid(name):
    for sizes, mask, grid in examples(name):
        assert torch.equal(mask.grid(sizes.queries, sizes.keys).expand_as(grid), grid)
        rows, columns = torch.tensor([sizes.queries - 1, 0]), torch.tensor([2, 0, sizes.keys - 1])
        tile = mask.tile(rows + sizes.behind, columns)
        assert torch.equal(tile.expand(*grid.shape[:2], 2, 3), grid[:, :, rows[:, None], columns])


@pytest.mark.parametrize("name", MASKS)
def test_nothing_may_be_seen_outside_the_span(name):
    for sizes, mask, grid in examples(name):
        for first in range(sizes.queries):
            start, stop = mask.span(first + sizes.behind, sizes.queries - 1 + sizes.behind, sizes.keys)
            outside = torch.ones(sizes.keys, dtype=torch.bool)
            outside[max(start, 0) : max(stop, 0)] = False
            assert not grid[:, :, first:, outside].any()


@pytest.mark.parametrize("name", MASKS)
def test_everything_may_be_seen_where_it_is_free(name):
    for sizes, mask, grid in examples(name):
        for first in range(sizes.queries):
            for last in range(first, sizes.queries):
                start, stop = mask.free(first + sizes.behind, last + sizes.behind, sizes.keys)
                assert grid[:, :, first : last + 1, max(start, 0) : max(stop, 0)].all()


@pytest.mark.parametrize("name", MASKS)
def test_a_part_is_the_mask_of_those_members_and_heads(name):
    for sizes, mask, grid in examples(name):
        batch, heads = slice(sizes.batch - 1, sizes.batch), slice(0, max(sizes.heads - 1, 1))
        part = mask.part(batch, heads).grid(sizes.queries, sizes.keys)
        assert torch.equal(part.expand_as(grid[batch, heads]), grid[batch, heads])


@pytest.mark.parametrize("name", MASKS)
def test_what_the_kernel_is_told_is_the_whole_mask(name):
    for sizes, mask, grid in examples(name):
        is_causal, rest = mask.split(sizes.queries, sizes.keys)
        told = torch.ones_like(grid)
        if is_causal:
            assert sizes.queries == sizes.keys
            told = told.tril()
        if rest is not None:
            told = told & rest.grid(sizes.queries, sizes.keys)
        assert torch.equal(told, grid)


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_accepts_the_call_it_was_made_for_and_prints_in_one_line(name):
    for sizes, mask, _ in examples(name):
        mask.check(sizes.batch, sizes.heads, sizes.queries, sizes.keys)
        assert repr(mask).startswith(type(mask).__name__)
        assert "\n" not in repr(mask)
        assert "tensor(" not in repr(mask)


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_can_be_drawn(name):
    for sizes, mask, _ in examples(name):
        drawn = mask.draw(sizes.queries, sizes.keys)
        grids = mask.grid(sizes.queries, sizes.keys).flatten(0, 1)
        assert len(drawn.split("\n\n")) == len(grids)


def test_names_stand_beside_the_drawing():
    drawn = Causal().draw(2, 2, rows=["Susan", "gave"], columns=["Susan", "gave"])
    assert "Susan" in drawn
    assert "gave" in drawn


def test_a_drawing_that_helps_nobody_is_refused():
    with pytest.raises(ShapeError, match="a drawing shows at most 40 x 40 positions, got 41 x 3"):
        Causal().draw(41, 3)


def test_a_mask_of_ones_own_needs_only_its_tile():
    class Even(Mask):
        def tile(self, rows, columns):
            return (columns % 2 == 0).expand(1, 1, len(rows), -1)

    assert (Causal() & Even()).grid(3, 3).tolist() == [[[[True, False, False]] * 2 + [[True, False, True]]]]
