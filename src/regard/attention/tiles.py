"""How queries x keys is cut up, so that nobody ever holds all of it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from regard.attention.masks import Mask

BUDGET = 1 << 20  # numbers in one block of scores: 4 MiB of float32, about the size of a core's cache
STRIP = 4096  # keys that a look works on at a time: with ROWS of them, what a core's second cache holds
ROWS = 64  # a product with fewer rows than this wastes the processor


class Block(NamedTuple):
    """A region of queries x keys for some members of the batch and some heads."""

    batch: slice
    heads: slice
    rows: slice
    columns: slice


class Tile(NamedTuple):
    """The weights of a block: (batch, heads, rows, columns)."""

    block: Block
    weights: Tensor


class Cut(NamedTuple):
    """Sizes of the pieces: members of the batch, heads and rows in a block."""

    batch: int
    heads: int
    rows: int


def cut(batch: int, heads: int, groups: int, queries: int, width: int) -> Cut:
    """Pieces of at most BUDGET numbers, where a row of one head takes `width` of them.

    Rows are kept together first, then heads, then the batch, because a product of many rows is the fastest. A
    piece never crosses from one group of heads into a part of the next.
    """
    rows = min(ROWS, queries)
    units = max(BUDGET // max(width * rows, 1), 1)
    shared = heads // max(groups, 1)
    if units >= heads:
        members = min(units // max(heads, 1), batch)
    else:
        members = 1
        heads = units - units % shared if units >= shared else largest_divisor(shared, units)
    return Cut(max(members, 1), max(heads, 1), max(BUDGET // max(members * heads * width, 1), 1))


def largest_divisor(number: int, limit: int) -> int:
    return next(size for size in range(limit, 0, -1) if number % size == 0)


def pieces(size: int, step: int) -> Iterator[slice]:
    for start in range(0, size, step):
        yield slice(start, min(start + step, size))


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


def assembled(units: Iterable[tuple[slice, slice, Iterable[tuple[Tensor, ...]]]]) -> tuple[Tensor, ...]:
    """Answers for members, heads and rows, in that order, put together again."""
    members: dict[int, list[tuple[Tensor, ...]]] = {}
    for batch, _, rows in units:
        members.setdefault(batch.start, []).append(joined(rows, 2))
    return joined([joined(heads, 1) for heads in members.values()], 0)


def joined(answers: Iterable[tuple[Tensor, ...]], dim: int) -> tuple[Tensor, ...]:
    """Tuples of tensors, each put end to end."""
    return tuple(torch.cat(parts, dim) for parts in zip(*answers, strict=True))
