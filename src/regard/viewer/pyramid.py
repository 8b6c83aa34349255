"""A map of any size at any zoom: small enough to keep, quick enough to pan.

Weights are never kept. One pass over them leaves sums and maxima of square cells, as small as the memory allows; every
coarser zoom level is made of those when it is asked for, every finer one is computed from queries and keys.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention import Pattern
from regard.attention.looks import How
from regard.attention.tiles import pieces, span

SIDE = 256  # cells a side of a tile
SHARE = 0.26  # of the memory of queries and keys that the pyramid of a place may take
STRIP = 2048  # keys, and ...
ROWS = 256  # ... queries whose weights are held at a time
PANEL = 16  # rows of cells that are stored side by side, with the cells that any of them has

Tell = Callable[[float], None]
"""Told how much is done, from 0 to 1; may raise to stop the work."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Some rows of cells, from one column of cells to another: all that differs from 0 there."""

    rows: slice
    columns: slice
    sums: Tensor  # (heads, rows, columns)
    tops: Tensor


@dataclass(frozen=True, eq=False)
class Pyramid:
    """Sums and maxima of cells of 2^level x 2^level weights, without those that no query may see."""

    level: int
    panels: tuple[Panel, ...]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(panel.sums.nbytes + panel.tops.nbytes for panel in self.panels)

    def region(self, heads: slice, rows: slice, columns: slice, how: How) -> Tensor:
        """Cells (heads, rows, columns): sums, or maxima."""
        picked = [panel for panel in self.panels if panel.rows.start < rows.stop and rows.start < panel.rows.stop]
        count = len(range(*heads.indices(len(self.panels[0].sums))))
        found = torch.zeros(count, rows.stop - rows.start, columns.stop - columns.start)
        for panel in picked:
            down, across = both(panel.rows, rows), both(panel.columns, columns)
            if across.start < across.stop:
                numbers = (panel.tops if how == "max" else panel.sums)[heads]
                found[:, within(down, rows), within(across, columns)] = numbers[
                    :, within(down, panel.rows), within(across, panel.columns)
                ]
        return found


def both(one: slice, other: slice) -> slice:
    """What two runs share."""
    return slice(max(one.start, other.start), min(one.stop, other.stop))


def within(run: slice, whole: slice) -> slice:
    """A run, counted from the beginning of the whole."""
    return slice(run.start - whole.start, run.stop - whole.start)


def cells(places: int, level: int) -> int:
    """How many cells of a level so many places make; the last may be smaller."""
    return -(-places >> level)


def cuts(places: int, level: int) -> Tensor:
    """Where cells begin and end."""
    return (torch.arange(cells(places, level) + 1) << level).clamp(max=places)


def levels(pattern: Pattern) -> int:
    """As many as it takes until one tile holds all."""
    longest, found = max(pattern.shape[2:]), 1
    while cells(longest, found - 1) > SIDE:
        found += 1
    return found


def empty(pattern: Pattern, level: int) -> list[tuple[slice, slice]]:
    """The rows and columns of the panels of a level."""
    _, _, queries, keys = pattern.shape
    found = []
    for rows in pieces(cells(queries, level), PANEL):
        asking = slice(rows.start << level, min(rows.stop << level, queries))
        seen = slice(0, keys) if pattern.fixed else span(pattern.allowed, asking, queries, keys)
        found.append((rows, slice(seen.start >> level, max(cells(seen.stop, level), seen.start >> level))))
    return found


def base(pattern: Pattern) -> int | None:
    """The finest level that may be stored; None where one tile holds all, and computing it costs nothing."""
    if levels(pattern) == 1:
        return None
    room = SHARE * sum(part.shape[1] * part.shape[2] * part.shape[3] * 4 for part in (pattern.query, pattern.key))
    level = 0
    while 8 * pattern.shape[1] * area(empty(pattern, level)) > room and level < levels(pattern) - 1:
        level += 1
    return level


def area(shapes: list[tuple[slice, slice]]) -> int:
    return sum((rows.stop - rows.start) * (columns.stop - columns.start) for rows, columns in shapes)


def built(pattern: Pattern, level: int, tell: Tell = lambda done: None) -> Pyramid:
    """One pass over all weights of a place, head by head."""
    _, heads, queries, keys = pattern.shape
    shapes = empty(pattern, level)
    panels = tuple(
        Panel(rows, columns, *torch.zeros(2, heads, rows.stop - rows.start, columns.stop - columns.start))
        for rows, columns in shapes
    )
    done, total = 0, max(heads * area(shapes), 1)
    for head in range(heads):
        part = pattern.narrow(slice(0, 1), slice(head, head + 1))
        for panel in panels:
            rows = slice(panel.rows.start << level, min(panel.rows.stop << level, queries))
            columns = slice(panel.columns.start << level, min(panel.columns.stop << level, keys))
            for lines, some, weights in swept(part, level, rows, columns):
                where = touched(lines, level, panel.rows), touched(some, level, panel.columns)
                panel.sums[head][where] = reduced(weights, level, "mean")
                panel.tops[head][where] = reduced(weights, level, "max")
            done += len(panel.sums[0]) * panel.sums.shape[2]
            tell(done / total)
    return Pyramid(level, panels)


def computed(pattern: Pattern, heads: slice, level: int, rows: slice, columns: slice, how: How) -> Tensor:
    """The same cells (heads, rows, columns) from queries and keys: sums, or maxima."""
    _, _, queries, keys = pattern.shape
    found = torch.zeros(heads.stop - heads.start, rows.stop - rows.start, columns.stop - columns.start)
    down = slice(rows.start << level, min(rows.stop << level, queries))
    across = slice(columns.start << level, min(columns.stop << level, keys))
    for number, head in enumerate(range(heads.start, heads.stop)):
        part = pattern.narrow(slice(0, 1), slice(head, head + 1))
        for lines, some, weights in swept(part, level, down, across):
            found[number, touched(lines, level, rows), touched(some, level, columns)] = reduced(weights, level, how)
    return found


def swept(part: Pattern, level: int, rows: slice, columns: slice) -> Iterator[tuple[slice, slice, Tensor]]:
    """The weights of one head, a few whole cells at a time, where they may differ from 0."""
    _, _, queries, keys = part.shape
    known = replace(part, summary=part.known)
    for lines in stretches(rows, max(ROWS >> level, 1) << level):
        seen = columns if part.fixed else both(columns, widened(span(part.allowed, lines, queries, keys), level))
        for some in stretches(seen, max(STRIP >> level, 1) << level):
            yield lines, some, known.tile(lines, some)[0, 0]


def widened(run: slice, level: int) -> slice:
    """A run that begins and ends with whole cells."""
    return slice(run.start >> level << level, cells(run.stop, level) << level)


def reduced(weights: Tensor, level: int, how: How) -> Tensor:
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


def touched(run: slice, level: int, whole: slice) -> slice:
    """The cells of a run of places, counted from the first of the whole."""
    return within(slice(run.start >> level, cells(run.stop, level)), whole)


def stretches(run: slice, step: int) -> list[slice]:
    """A run cut at multiples of a step."""
    if run.start >= run.stop:
        return []
    marks = [run.start, *range((run.start // step + 1) * step, run.stop, step), run.stop]
    return [slice(*pair) for pair in pairwise(marks)]


def pooled(
    pattern: Pattern, pyramid: Pyramid | None, heads: slice, level: int, rows: slice, columns: slice, how: How
) -> Tensor:
    """Cells of any level (heads, rows, columns): means, or maxima."""
    _, _, queries, keys = pattern.shape
    if pyramid is None or level < pyramid.level:
        found = computed(pattern, heads, level, rows, columns, how)
    else:
        up = level - pyramid.level
        fine_rows = slice(rows.start << up, min(rows.stop << up, cells(queries, pyramid.level)))
        fine_columns = slice(columns.start << up, min(columns.stop << up, cells(keys, pyramid.level)))
        found = pyramid.region(heads, fine_rows, fine_columns, how)
        found = reduced(found, up, how)
    if how == "max":
        return found
    heights = cuts(queries, level).diff()[rows]
    return found / (heights[:, None] * cuts(keys, level).diff()[columns])
