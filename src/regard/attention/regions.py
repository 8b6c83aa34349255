"""Which of the batch, heads, queries or keys somebody means."""

from collections.abc import Sequence

import torch
from torch import Tensor

from regard.errors import ShapeError

Some = int | slice | Sequence[int] | Tensor
"""One, a run, or a choice."""


def numbers(some: Some | None, size: int, what: str) -> list[int]:
    """The indices meant, counted from the front; all of them for None."""
    if some is None:
        return list(range(size))
    if isinstance(some, slice):
        return list(range(size))[some]
    if isinstance(some, Tensor) and some.dtype == torch.bool:
        raise ShapeError(f"a {what} is named by its number, got a bool tensor")
    several = some.reshape(-1).tolist() if isinstance(some, Tensor) else some
    chosen = [int(index) for index in (several if isinstance(several, Sequence) else [several])]
    for index in chosen:
        if not -size <= index < size:
            raise ShapeError(f"there is no {what} {index}: {size} of them, counted from 0")
    return [index % size for index in chosen]


def is_number(some: Some) -> bool:
    return isinstance(some, int) or (isinstance(some, Tensor) and some.ndim == 0)


def runs(chosen: list[int], shared: int = 1) -> list[slice]:
    """The same indices as slices, as few as the order allows; none crosses from one group of heads into the next."""
    found: list[slice] = []
    for index in chosen:
        if found and found[-1].stop == index and (shared == 1 or index % shared):
            found[-1] = slice(found[-1].start, index + 1)
        else:
            found.append(slice(index, index + 1))
    return found


def whole(given: tuple[Some, ...], dimensions: int) -> tuple[Some, ...]:
    """An index for every dimension, as in a[0, ..., 2]."""
    at = next((place for place, index in enumerate(given) if index is Ellipsis), len(given))
    left, right = given[:at], given[at + 1 :]
    missing = dimensions - len(left) - len(right)
    if missing < 0:
        raise ShapeError(f"a region has {dimensions} indices (batch, head, query, key), got {len(left) + len(right)}")
    return (*left, *[slice(None)] * missing, *right)
