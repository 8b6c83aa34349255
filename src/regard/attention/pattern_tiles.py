"""How the weights of a region are put together, tile by tile, so that nobody holds queries x keys."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.attention import tiles
from regard.attention.normalisers import RowStatistics
from regard.attention.regions import bridge, positions, runs, strips
from regard.attention.tiles import StripBuffer, Tile, TileBlock, assemble, span, steps_within

if TYPE_CHECKING:
    from regard.attention.pattern import Pattern


def weight_tiles(
    pattern: "Pattern", of: "Callable[[Pattern, slice, slice], Tensor] | None" = None, strips: int = 1
) -> Iterator[Tile]:
    """All weights that may differ from 0, some strips of a block at a time; or what else rows and columns have.

    A tile is good until the next one is asked for.
    """
    of = of or type(pattern).tile
    _, _, queries, keys = pattern.shape
    pattern, buffer = replace(pattern, row_statistics=pattern.statistics), StripBuffer(strips * tiles.STRIP)
    for members, heads, lines in pattern.blocks(tiles.STRIP):
        part = pattern.narrow(members, heads)
        for rows in lines:
            visible = slice(0, keys) if part.fixed else span(part.allowed, rows, queries, keys)
            for columns in steps_within(visible, strips * tiles.STRIP):
                parts = (of(part, rows, strip) for strip in steps_within(columns, tiles.STRIP))
                yield Tile(TileBlock(members, heads, rows, columns), buffer(parts))


def compute_statistics(pattern: "Pattern") -> RowStatistics:
    """What the normaliser has to know of each row, by a pass over all scores."""
    if 0 in pattern.shape[:3]:
        return pattern.normaliser.row_statistics(pattern.zeros(*pattern.shape), torch.arange(pattern.shape[3]))
    return assemble(
        (members, heads, block_statistics(pattern.narrow(members, heads), lines))
        for members, heads, lines in pattern.blocks()
    )


def block_statistics(pattern: "Pattern", lines: list[slice]) -> Iterator[RowStatistics]:
    for rows in lines:
        columns = span(pattern.allowed, rows, *pattern.shape[2:])
        scores = pattern.scores(rows, columns)
        yield pattern.normaliser.row_statistics(scores, pattern.indices(rows, columns)[1])


def region_weights(
    pattern: "Pattern", members: list[int], heads: list[int], rows: list[int], columns: list[int]
) -> Tensor:
    """The weights of these members of the batch, heads, queries and keys, in this order."""
    if not (members and heads and rows and columns):
        return pattern.zeros(len(members), len(heads), len(rows), len(columns))
    # Whole rows are normalised from themselves, which is exact to the last digit in sharp heads, too.
    is_whole = bridge(columns) == [slice(0, pattern.shape[3])]
    pattern = replace(pattern, row_statistics=None if is_whole else pattern.statistics)
    head_runs = runs(heads, pattern.shape[1] // pattern.key.shape[1])
    by_member = [
        torch.cat([strip_weights(pattern.narrow(batch, some), rows, columns) for some in head_runs], 1)
        for batch in runs(members)
    ]
    return torch.cat(by_member, 0)


def strip_weights(pattern: "Pattern", rows: list[int], columns: list[int]) -> Tensor:
    """The weights of these queries and keys for all members and heads of a pattern."""
    across = bridge(columns)
    # Not many rows even beside few columns: a score of distances compares every row with all of them.
    width = sum(run.stop - run.start for run in across)
    numbers_in_a_row = math.prod(pattern.shape[:2]) * width * pattern.score.cost
    step = max(min(tiles.BUDGET // numbers_in_a_row, math.isqrt(tiles.BUDGET)), 1)
    ordered_rows, column_positions = sorted(set(rows)), positions(columns, across)
    parts = [
        torch.cat([pattern.tile(down, run) for run in across], 3)[:, :, row_positions][..., column_positions]
        for down, row_positions in strips(ordered_rows, step)
    ]
    return torch.cat(parts, 2)[:, :, positions(rows, runs(ordered_rows))]


def visible_rows(pattern: "Pattern", rows: Tensor, columns: Tensor) -> Tensor:
    """Whether the queries at these positions see anything: neither mask nor bias takes it all away."""
    is_visible = torch.ones(1, 1, len(rows), len(columns), dtype=torch.bool, device=rows.device)
    if allowed := pattern.allowed:
        is_visible = is_visible & allowed.tile(rows, columns)
    if pattern.bias is not None:
        is_visible = is_visible & (pattern.bias.tile(rows, columns) != -torch.inf)
    return is_visible.any(-1)
