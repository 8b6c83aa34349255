"""What every picture of a grid accepts, checked once."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from regard.errors import ShapeError

Labels = Sequence[str] | None


@runtime_checkable
class Listable(Protocol):
    """An array of numpy, a tensor of torch, or of whichever library."""

    def tolist(self) -> object: ...


def plain(grid: object, rows: Labels, columns: Labels) -> list[list[float]]:
    """The grid as a list of equally long rows, known to fit its labels.

    A grid is a list of lists, or anything that `.tolist()` turns into one: an array, a tensor.
    """
    table = grid.tolist() if isinstance(grid, Listable) else grid
    if not isinstance(table, list | tuple) or any(not isinstance(row, list | tuple) for row in table):
        raise ShapeError("a picture needs a grid of rows and columns, got something with another number of axes")
    if any(isinstance(cell, list | tuple) for row in table for cell in row):
        raise ShapeError("a picture needs a grid of rows and columns, got more axes: choose one example and one head")
    lengths = {len(row) for row in table}
    if len(lengths) > 1:
        raise ShapeError(f"rows of a grid are equally long, got lengths {sorted(lengths)}")
    width = lengths.pop() if lengths else 0
    check("row", rows, len(table))
    check("column", columns, width)
    return [list(row) for row in table]


def check(name: str, labels: Labels, count: int) -> None:
    """Raise ShapeError unless every row, or column, has its label, or none has one."""
    if labels is not None and len(labels) != count:
        raise ShapeError(f"expected one label for each {name}: {count}, got {len(labels)}")
