"""A map of any size at any zoom: small enough to keep, quick enough to pan.

Weights are never kept. One pass over them leaves sums and maxima of square cells, as small as the memory allows; every
coarser zoom level is made of those when it is asked for, every finer one is computed from queries and keys.
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise, starmap

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention import Pattern
from regard.attention.looks import How
from regard.attention.normalisers import Softmax
from regard.attention.tiles import pieces, span

TILE = 256  # cells a side of a tile
SHARE = 0.26  # of the memory of queries and keys that the pyramid of a layer may take
STRIP = 2048  # keys, and ...
ROWS = 256  # ... queries whose weights a core holds at a time: about as much as stays in its cache
COARSE = 4  # the level from which on a mean in 16 bits is within 5e-7 of itself
STEPS = 65535  # from nothing to all that a cell can hold
PANEL = 16  # rows of cells that are stored side by side, with the cells that any of them has

OnProgress = Callable[[float], None]
"""Told how much is done, from 0 to 1; may raise to stop the work."""


@cache
def cores() -> ThreadPoolExecutor:
    """The threads that work on all maps: torch brings helpers along for every thread that calls it, and they add up."""
    return ThreadPoolExecutor(torch.get_num_threads(), thread_name_prefix="regard-map")


@dataclass(frozen=True, eq=False)
class Panel:
    """Some rows of cells, from one column of cells to another: all that differs from 0 there."""

    rows: slice
    columns: slice
    sums: Tensor  # (heads, rows, columns), as the pyramid writes them
    maxima: Tensor
    last: Tensor | None = None  # (heads, rows): the sums of the last column, where 16 bits do not do for it


@dataclass(frozen=True, eq=False)
class Pyramid:
    """Sums and maxima of cells of 2^level x 2^level weights, without those that no query may see.

    A row of a softmax sums to 1, so that a cell holds at most as much as it has rows: 16-bit shares of that are stored
    where `heights` tells how many rows the cells of each row have.
    """

    level: int
    panels: tuple[Panel, ...]
    heights: Tensor | None = None

    @property
    def is_16_bit(self) -> bool:
        return self.heights is not None

    @property
    def size(self) -> int:
        """Bytes."""
        parts = [part for panel in self.panels for part in (panel.sums, panel.maxima, panel.last)]
        return sum(part.nbytes for part in (*parts, self.heights) if part is not None)

    def region(self, heads: slice, rows: slice, columns: slice, how: How) -> Tensor:
        """Cells (heads, rows, columns): sums, or maxima."""
        panels = [panel for panel in self.panels if panel.rows.start < rows.stop and rows.start < panel.rows.stop]
        count = len(range(*heads.indices(len(self.panels[0].sums))))
        output = torch.zeros(count, rows.stop - rows.start, columns.stop - columns.start)
        for panel in panels:
            down, across = overlap(panel.rows, rows), overlap(panel.columns, columns)
            if across.start < across.stop:
                part = (panel.maxima if how == "max" else panel.sums)[
                    heads, relative_to(down, panel.rows), relative_to(across, panel.columns)
                ]
                part = self.decode(part, down) if how == "mean" else part
                output[:, relative_to(down, rows), relative_to(across, columns)] = part
                if how == "mean" and panel.last is not None and across.stop == panel.columns.stop:
                    output[:, relative_to(down, rows), across.stop - 1 - columns.start] = panel.last[
                        heads, relative_to(down, panel.rows)
                    ]
        return output

    def put(self, panel: Panel, head: int, rows: slice, columns: slice, sums: Tensor, maxima: Tensor) -> None:
        """Write the cells of some rows and columns of a panel, counted from its first."""
        panel.maxima[head, rows, columns] = maxima
        panel.sums[head, rows, columns] = self.encode(sums, slice(panel.rows.start + rows.start, panel.rows.stop))
        if panel.last is not None and columns.stop == panel.sums.shape[2]:
            panel.last[head, rows] = sums[:, -1]

    def encode(self, sums: Tensor, rows: slice) -> Tensor:
        """Sums (rows, columns) as they are stored; the first row of cells is that of `rows`."""
        if self.heights is None:
            return sums
        share = sums * (STEPS / self.heights[rows.start : rows.start + len(sums), None])
        return share.round_().clamp_(0, STEPS).sub_(1 << 15).to(torch.int16)

    def decode(self, stored: Tensor, rows: slice) -> Tensor:
        """The other way round, of any heads."""
        return stored if self.heights is None else (stored.float() + (1 << 15)) * (self.heights[rows, None] / STEPS)


def overlap(first: slice, second: slice) -> slice:
    """What two runs share."""
    return slice(max(first.start, second.start), min(first.stop, second.stop))


def relative_to(run: slice, whole: slice) -> slice:
    """A run, counted from the beginning of the whole."""
    return slice(run.start - whole.start, run.stop - whole.start)


def cells(length: int, level: int) -> int:
    """How many cells of a level so many positions make; the last may be smaller."""
    return -(-length >> level)


def cell_edges(length: int, level: int) -> Tensor:
    """Where cells begin and end."""
    return (torch.arange(cells(length, level) + 1) << level).clamp(max=length)


def levels(pattern: Pattern) -> int:
    """As many as it takes until one tile holds all."""
    longest, count = max(pattern.shape[2:]), 1
    while cells(longest, count - 1) > TILE:
        count += 1
    return count


def panel_ranges(pattern: Pattern, level: int) -> list[tuple[slice, slice]]:
    """The rows and columns of the panels of a level."""
    _, _, queries, keys = pattern.shape
    ranges = []
    for rows in pieces(cells(queries, level), PANEL):
        queries_here = slice(rows.start << level, min(rows.stop << level, queries))
        keys_here = slice(0, keys) if pattern.fixed else span(pattern.allowed, queries_here, queries, keys)
        ranges.append(
            (rows, slice(keys_here.start >> level, max(cells(keys_here.stop, level), keys_here.start >> level)))
        )
    return ranges


def stored_level(pattern: Pattern) -> int | None:
    """The finest level that may be stored; None where one tile holds all, and computing it costs nothing."""
    if levels(pattern) == 1:
        return None
    most = SHARE * sum(part.shape[1] * part.shape[2] * part.shape[3] * 4 for part in (pattern.query, pattern.key))
    level = 0
    while pyramid_bytes(pattern, level) > most and level < levels(pattern) - 1:
        level += 1
    return level


def fits_16_bit(pattern: Pattern, level: int) -> bool:
    """Whether 16 bits do for sums: of rows that sum to 1, in cells that are wide enough."""
    return level >= COARSE and isinstance(pattern.normaliser, Softmax) and not pattern.fixed


def pyramid_bytes(pattern: Pattern, level: int) -> int:
    """The bytes of a pyramid."""
    shapes, (_, heads, queries, _) = panel_ranges(pattern, level), pattern.shape
    if not fits_16_bit(pattern, level):
        return 8 * heads * area(shapes)
    last = sum(rows.stop - rows.start for rows, columns in shapes if has_narrow_end(pattern, level, columns))
    return heads * (6 * area(shapes) + 4 * last) + 4 * cells(queries, level)


def has_narrow_end(pattern: Pattern, level: int, columns: slice) -> bool:
    """Whether a run of cells ends with one that has fewer columns than the others: its mean wants more than 16 bits."""
    keys = pattern.shape[3]
    return keys % (1 << level) > 0 and columns.stop == cells(keys, level)


def area(shapes: list[tuple[slice, slice]]) -> int:
    return sum((rows.stop - rows.start) * (columns.stop - columns.start) for rows, columns in shapes)


def build_pyramid(pattern: Pattern, level: int, on_progress: OnProgress = lambda done: None) -> Pyramid:
    """One pass over all weights of a layer, a head on each core: the products are too small to share one."""
    _, heads, queries, keys = pattern.shape
    pyramid = empty_pyramid(pattern, level)
    parts = [pattern.narrow(slice(0, 1), slice(head, head + 1)) for head in range(heads)]

    @torch.no_grad()
    def fill(panel: Panel, head: int) -> None:
        rows = slice(panel.rows.start << level, min(panel.rows.stop << level, queries))
        columns = slice(panel.columns.start << level, min(panel.columns.stop << level, keys))
        for lines, columns_here, weights in sweep(parts[head], level, rows, columns):
            where = cell_range(lines, level, panel.rows), cell_range(columns_here, level, panel.columns)
            pyramid.put(panel, head, *where, pool_cells(weights, level, "mean"), pool_cells(weights, level, "max"))

    done, total = 0, max(sum(panel.sums[0].numel() for panel in pyramid.panels), 1)
    for panel in pyramid.panels:
        list(cores().map(partial(fill, panel), range(heads)))
        done += panel.sums[0].numel()
        on_progress(done / total)
    return pyramid


def empty_pyramid(pattern: Pattern, level: int) -> Pyramid:
    """Sums and maxima of nothing, of all panels side by side in memory: many small blocks leave holes between them."""
    _, heads, queries, _ = pattern.shape
    shapes, is_16_bit = panel_ranges(pattern, level), fits_16_bit(pattern, level)
    sizes = [(heads, rows.stop - rows.start, columns.stop - columns.start) for rows, columns in shapes]
    counts = [math.prod(size) for size in sizes]
    maxima = torch.zeros(sum(counts))
    sums = torch.full((sum(counts),), -(1 << 15), dtype=torch.int16) if is_16_bit else torch.zeros(sum(counts))
    panels = [
        Panel(
            rows,
            columns,
            sums_here.view(size),
            maxima_here.view(size),
            torch.zeros(size[:2]) if is_16_bit and has_narrow_end(pattern, level, columns) else None,
        )
        for (rows, columns), size, sums_here, maxima_here in zip(
            shapes, sizes, sums.split(counts), maxima.split(counts), strict=True
        )
    ]
    heights = cell_edges(queries, level).diff().float() if is_16_bit else None
    return Pyramid(level, tuple(panels), heights)


def compute_cells(pattern: Pattern, heads: slice, level: int, rows: slice, columns: slice, how: How) -> Tensor:
    """The same cells (heads, rows, columns) from queries and keys: sums, or maxima."""
    _, _, queries, keys = pattern.shape
    output = torch.zeros(heads.stop - heads.start, rows.stop - rows.start, columns.stop - columns.start)
    down = slice(rows.start << level, min(rows.stop << level, queries))
    across = slice(columns.start << level, min(columns.stop << level, keys))
    parts = [pattern.narrow(slice(0, 1), slice(head, head + 1)) for head in range(heads.start, heads.stop)]

    @torch.no_grad()
    def fill(number: int, run: slice) -> None:
        for lines, columns_here, weights in sweep(parts[number], level, run, across):
            output[number, cell_range(lines, level, rows), cell_range(columns_here, level, columns)] = pool_cells(
                weights, level, how
            )

    runs = [(number, run) for number in range(len(parts)) for run in pieces_of(down, rows_at(level))]
    list(cores().map(fill, *zip(*runs, strict=True)) if len(runs) > 1 else starmap(fill, runs))
    return output


def sweep(part: Pattern, level: int, rows: slice, columns: slice) -> Iterator[tuple[slice, slice, Tensor]]:
    """The weights of one head, a few whole cells at a time, where they may differ from 0."""
    _, _, queries, keys = part.shape
    with_statistics = replace(part, row_statistics=part.statistics)
    for lines in pieces_of(rows, rows_at(level)):
        keys_here = (
            columns if part.fixed else overlap(columns, whole_cells(span(part.allowed, lines, queries, keys), level))
        )
        for columns_here in pieces_of(keys_here, max(STRIP >> level, 1) << level):
            yield lines, columns_here, with_statistics.tile(lines, columns_here)[0, 0]


def rows_at(level: int) -> int:
    """How many rows are held at a time: whole cells."""
    return max(ROWS >> level, 1) << level


def whole_cells(run: slice, level: int) -> slice:
    """A run that begins and ends with whole cells."""
    return slice(run.start >> level << level, cells(run.stop, level) << level)


def pool_cells(weights: Tensor, level: int, how: How) -> Tensor:
    """Sums or maxima of the cells of some rows and columns, which begin with a whole one; a cut one counts as it is."""
    size = 1 << level
    rows, columns = weights.shape[-2:]
    if rows % size or columns % size:
        weights = F.pad(weights, (0, -columns % size, 0, -rows % size))
    if not level:
        return weights
    high, wide = weights.unflatten(-2, (-1, size)), (-1, size)
    if how == "max":
        return high.amax(-2).unflatten(-1, wide).amax(-1)
    return high.sum(-2).unflatten(-1, wide).sum(-1)


def cell_range(run: slice, level: int, whole: slice) -> slice:
    """The cells of a run of positions, counted from the first of the whole."""
    return relative_to(slice(run.start >> level, cells(run.stop, level)), whole)


def pieces_of(run: slice, step: int) -> list[slice]:
    """A run cut at multiples of a step."""
    if run.start >= run.stop:
        return []
    marks = [run.start, *range((run.start // step + 1) * step, run.stop, step), run.stop]
    return [slice(*pair) for pair in pairwise(marks)]


def pool(
    pattern: Pattern, pyramid: Pyramid | None, heads: slice, level: int, rows: slice, columns: slice, how: How
) -> Tensor:
    """Cells of any level (heads, rows, columns): means, or maxima."""
    _, _, queries, keys = pattern.shape
    if pyramid is None or level < pyramid.level:
        pooled = compute_cells(pattern, heads, level, rows, columns, how)
    else:
        up = level - pyramid.level
        fine_rows = slice(rows.start << up, min(rows.stop << up, cells(queries, pyramid.level)))
        fine_columns = slice(columns.start << up, min(columns.stop << up, cells(keys, pyramid.level)))
        pooled = pyramid.region(heads, fine_rows, fine_columns, how)
        pooled = pool_cells(pooled, up, how)
    if how == "max":
        return pooled
    heights = cell_edges(queries, level).diff()[rows]
    return pooled / (heights[:, None] * cell_edges(keys, level).diff()[columns])
