"""Which of the batch, heads, queries or keys somebody means."""

import math
import operator
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import SupportsIndex, TypeGuard

import numpy as np
import torch
from torch import Tensor

from regard.errors import ShapeError, TooLarge

GAP = 64  # indices that are worth computing in vain, to ask for one tile less
DENSE_LIMIT = 1 << 30  # bytes of weights that are handed out in one piece
Indices = int | np.integer | slice | Sequence[int] | Tensor | np.ndarray
"""One, a run, or a choice."""


def numbers(indices: object, size: int, what: str) -> list[int]:
    """The indices meant, counted from the front; all of them for None. What is no `Some` is refused."""
    if indices is None:
        return list(range(size))
    if isinstance(indices, slice):
        return list(range(size))[indices]
    chosen = as_list(indices, what)
    for index in chosen:
        if not -size <= index < size:
            raise ShapeError(f"there is no {what} {index}: {size} of them, counted from 0")
    return [index % size for index in chosen]


def as_list(indices: object, what: str) -> list[int]:
    """One number or several as Python has them, whatever there are of these."""
    if isinstance(indices, Tensor | np.ndarray):
        if indices.dtype in (torch.bool, np.bool_):
            kind = "tensor" if isinstance(indices, Tensor) else "array"
            raise ShapeError(f"a {what} is named by its number, got a bool {kind}")
        indices = indices.reshape(-1).tolist()
    several = indices if isinstance(indices, Sequence) and not isinstance(indices, str) else [indices]
    return [number(index, what) for index in several]


def number(index: object, what: str) -> int:
    """A whole number as Python has them: those of numpy and torch are numbers, True and 2.0 are not."""
    plain = index.item() if isinstance(index, np.generic) or is_scalar(index) else index
    if type(plain) is bool or not isinstance(plain, SupportsIndex):
        raise ShapeError(f"a {what} is named by its number, got {plain!r}")
    return operator.index(plain)


def is_scalar(index: object) -> TypeGuard[Tensor | np.ndarray]:
    """Whether this is a tensor or an array of one number and no dimension."""
    return isinstance(index, Tensor | np.ndarray) and index.ndim == 0


def is_number(index: object) -> bool:
    """Whether one is meant, and not a run or a choice: its dimension is left out then."""
    return is_scalar(index) or isinstance(index, int | np.integer)


def runs(chosen: list[int], shared: int = 1) -> list[slice]:
    """The same indices as slices, as few as the order allows; none crosses from one group of heads into the next."""
    slices: list[slice] = []
    for index in chosen:
        if slices and slices[-1].stop == index and (shared == 1 or index % shared):
            slices[-1] = slice(slices[-1].start, index + 1)
        else:
            slices.append(slice(index, index + 1))
    return slices


def bridge(chosen: list[int]) -> list[slice]:
    """A few slices, in order, that hold these indices: what lies in small gaps is cheaper to compute than to skip."""
    slices: list[slice] = []
    for index in sorted(set(chosen)):
        if slices and index - slices[-1].stop < GAP:
            slices[-1] = slice(slices[-1].start, index + 1)
        else:
            slices.append(slice(index, index + 1))
    return slices


def positions(chosen: list[int], held: list[slice]) -> Tensor | slice:
    """Where the chosen indices stand once what the slices hold is put end to end."""
    every = [index for run in held for index in range(run.start, run.stop)]
    if chosen == every:
        return slice(None)
    number_of = {index: number for number, index in enumerate(every)}
    return torch.tensor([number_of[index] for index in chosen], dtype=torch.long)


def strips(chosen: list[int], step: int) -> Iterator[tuple[slice, Tensor | slice]]:
    """Slices of at most `step` indices, and where in each of them those stand that are wanted; these are in order."""
    for run in bridge(chosen):
        for start in range(run.start, run.stop, step):
            held = slice(start, min(start + step, run.stop))
            yield held, positions(chosen[bisect_left(chosen, held.start) : bisect_left(chosen, held.stop)], [held])


def full_index(indices: tuple[object, ...], dimensions: int) -> tuple[object, ...]:
    """An index for every dimension, as in a[0, ..., 2]."""
    at = next((number for number, index in enumerate(indices) if index is Ellipsis), len(indices))
    left, right = indices[:at], indices[at + 1 :]
    missing = dimensions - len(left) - len(right)
    if missing < 0:
        raise ShapeError(f"a region has {dimensions} indices (batch, head, query, key), got {len(left) + len(right)}")
    return (*left, *[slice(None)] * missing, *right)


def refuse(dtype: torch.dtype, sizes: Iterable[int], instead: str) -> None:
    """Raise TooLarge where a region is more than anyone asks for on purpose."""
    size = math.prod(sizes) * max(dtype.itemsize, 4)
    if size > DENSE_LIMIT:
        raise TooLarge(f"that is {size / 2**30:.1f} GiB of weights, more than 1 GiB in one piece: {instead}")


def members(rows: Tensor | None, batch: slice) -> Tensor | None:
    """The rows of some members of the batch; one row stands for all."""
    return rows if rows is None or len(rows) == 1 else rows[batch]
