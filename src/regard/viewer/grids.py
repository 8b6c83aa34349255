"""Tensors as the grids that a page shows."""

from collections.abc import Sequence
from typing import Literal

from torch import Tensor

from regard.viewer.payload import Fact, Grid

Kind = Literal["weights", "numbers", "mask"]


def grid(name: str, numbers: Tensor, rows: Sequence[str], columns: Sequence[str], kind: Kind = "numbers") -> Grid:
    """A matrix with names."""
    table = numbers.detach().float().reshape(len(rows), len(columns)).tolist()
    return Grid(name=name, kind=kind, rows=list(rows), columns=list(columns), numbers=table)


def fact(name: str, value: bool | float | str) -> Fact:
    return Fact(name=name, value=value)
