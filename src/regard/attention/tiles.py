"""How queries x keys is cut up, so that nobody ever holds all of it."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor

from regard.attention.masks import Mask

BUDGET = 1 << 20  # numbers in one block of scores: 4 MiB of float32, about the size of a core's cache
STRIP = 2048  # keys that a look works on at a time
ROWS = 64  # a product with fewer rows than this wastes the processor


class TileBlock(NamedTuple):
    """A region of queries x keys for some members of the batch and some heads."""

    batch: slice
    heads: slice
    rows: slice
    columns: slice


class Tile(NamedTuple):
    """The weights of a block: (batch, heads, rows, columns)."""

    block: TileBlock
    weights: Tensor


class StripBuffer:
    """Puts strips side by side, always in the same memory: new memory costs more than the copy."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.buffer: Tensor | None = None

    def __call__(self, strips: Iterator[Tensor]) -> Tensor:
        first = next(strips)
        if first.shape[-1] == self.width or first.requires_grad:
            rest = list(strips)
            return torch.cat([first, *rest], -1) if rest else first
        size = (*first.shape[:-1], self.width)
        if self.buffer is None or self.buffer.shape != size:
            self.buffer = first.new_empty(size)
        filled = 0
        for strip in chain((first,), strips):
            self.buffer[..., filled : filled + strip.shape[-1]] = strip
            filled += strip.shape[-1]
        return self.buffer[..., :filled]


class Cut(NamedTuple):
    """Sizes of the pieces: members of the batch, heads and rows in a block."""

    batch: int
    heads: int
    rows: int


def cut(batch: int, heads: int, kv_heads: int, queries: int, width: int) -> Cut:
    """Pieces of at most BUDGET numbers, where a row of one head takes `width` of them.

    Rows are kept together first, then heads, then the batch, because a product of many rows is the fastest. A
    piece never crosses from one group of heads into a part of the next.
    """
    rows = min(ROWS, queries)
    units = max(BUDGET // max(width * rows, 1), 1)
    shared = heads // max(kv_heads, 1)
    if units >= heads:
        members = min(units // max(heads, 1), batch)
    else:
        members = 1
        heads = units - units % shared if units >= shared else largest_divisor(shared, units)
    return Cut(max(members, 1), max(heads, 1), max(BUDGET // max(members * heads * width, 1), 1))


def blocks(
    shape: tuple[int, int, int, int], kv_heads: int, mask: Mask | None, cost: int, strip: int | None = None
) -> Iterator[tuple[slice, slice, list[slice]]]:
    """Members, heads and rows that are worked on together, over all their keys or a strip of so many at a time."""
    batch, heads, queries, keys = shape
    width = widest(mask, ROWS, queries, keys)
    width = width if strip is None else min(width, strip)
    size = cut(batch, heads, kv_heads, queries, width * cost)
    rows = rows_within(mask, size, queries, keys, cost)
    for members in pieces(batch, size.batch):
        for head_slice in pieces(heads, size.heads):
            yield members, head_slice, list(pieces(queries, rows))


def largest_divisor(number: int, limit: int) -> int:
    return next(size for size in range(limit, 0, -1) if number % size == 0)


def pieces(size: int, step: int) -> Iterator[slice]:
    return steps_within(slice(0, size), step)


def steps_within(run: slice, step: int) -> Iterator[slice]:
    """A run of positions in steps."""
    for start in range(run.start, run.stop, step):
        yield slice(start, min(start + step, run.stop))


def rows_within(mask: Mask | None, size: Cut, queries: int, keys: int, cost: int) -> int:
    """Rows in a block: fewer than the cut says where taller blocks see more keys, as under a window."""
    rows = max(min(size.rows, queries), 1)
    while rows > ROWS and size.batch * size.heads * rows * widest(mask, rows, queries, keys) * cost > BUDGET:
        rows = max(rows // 2, ROWS)
    return rows


def widest(mask: Mask | None, rows: int, queries: int, keys: int) -> int:
    """How many keys a block of so many rows may have to be compared with; 1 or more."""
    if mask is None:
        return max(keys, 1)
    spans = [span(mask, some, queries, keys) for some in pieces(queries, rows)]
    return max([1, *(run.stop - run.start for run in spans)])


def span(mask: Mask | None, rows: slice, queries: int, keys: int) -> slice:
    """The run of keys that these queries may see anything of."""
    if mask is None:
        return slice(0, keys)
    behind = keys - queries
    start, stop = mask.span(rows.start + behind, rows.stop - 1 + behind, keys)
    start = max(start, 0)
    return slice(start, max(stop, start))


def assemble(units: Iterable[tuple[slice, slice, Iterable[tuple[Tensor, ...]]]]) -> tuple[Tensor, ...]:
    """Answers for members, heads and rows, in that order, put together again."""
    members: dict[int, list[tuple[Tensor, ...]]] = {}
    for batch, _, rows in units:
        members.setdefault(batch.start, []).append(concatenate(rows, 2))
    return concatenate([concatenate(heads, 1) for heads in members.values()], 0)


def concatenate(answers: Iterable[tuple[Tensor, ...]], dim: int) -> tuple[Tensor, ...]:
    """Tuples of tensors, each put end to end."""
    return tuple(torch.cat(parts, dim) for parts in zip(*answers, strict=True))


def free(mask: Mask, rows: slice, columns: slice, queries: int, keys: int) -> slice:
    """Those of the columns that all of these rows see, counted from the first; none where it is not known."""
    behind = keys - queries
    start, stop = mask.free(rows.start + behind, rows.stop - 1 + behind, keys)
    start, stop = max(start, columns.start), min(stop, columns.stop)
    return slice(start - columns.start, max(stop, start) - columns.start)


def mask_scores(scores: Tensor, allowed: Mask, rows: Tensor, columns: Tensor, free: slice) -> Tensor:
    """Scores with -inf where the mask says so; the mask is asked only about columns that not all rows see."""
    if free.stop - free.start == len(columns):
        return scores
    if scores.requires_grad or torch.compiler.is_compiling() or free.start == free.stop:
        return scores.masked_fill(~allowed.tile(rows, columns), -torch.inf)
    for edge in (slice(0, free.start), slice(free.stop, len(columns))):
        if edge.start < edge.stop:
            scores[..., edge].masked_fill_(~allowed.tile(rows, columns[edge]), -torch.inf)
    return scores
