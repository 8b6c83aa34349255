"""Grids in the terminal: a mask as boxes, weights as shades."""

from collections.abc import Sequence
from math import ceil, isnan
from typing import Any

from rich.cells import cell_len

from regard.pictures.grids import Labels, plain
from regard.pictures.labels import fit, visible
from regard.pictures.scale import colour as colour_of

SHADES = "·░▒▓█"
WIDEST = 12  # cells that a label may take when nobody says how much room there is


def boxes(grid: Any, rows: Labels = None, columns: Labels = None) -> str:
    """A grid of booleans: ■ where it is true, · where it is not."""
    table = plain(grid, rows, columns)
    cells = _widest(columns, atleast=1)
    body = [[fit("■" if cell else "·", cells) for cell in row] for row in table]
    return _assemble(body, rows, columns, cells, _widest(rows, atleast=0))


def heat(
    grid: Any, rows: Labels = None, columns: Labels = None, *, colour: bool = False, width: int | None = None
) -> str:
    """A grid of weights from 0 to 1, darker or lighter by weight; what is blank is exactly 0.

    `width` is the room in terminal cells: labels are cut to fit it, down to one cell for each column.
    A weight beyond 0 or 1 is shown as 0 or 1, and one that is not a number as ?
    """
    table = plain(grid, rows, columns)
    cells = _widest(columns, atleast=2)
    edge = _widest(rows, atleast=0)
    if width is not None and table and table[0]:
        edge = min(edge, max(1, min(width // 3, width - 2 * len(table[0]))))
        cells = max(1, min(cells, (width - edge) // len(table[0]) - 1))
    paint = _coloured if colour else _shaded
    body = [[paint(weight, cells) for weight in row] for row in table]
    return _assemble(body, rows, columns, cells, edge)


def _shaded(weight: float, cells: int) -> str:
    if isnan(weight):
        return "?" * cells
    return (SHADES[ceil(min(weight, 1) * len(SHADES)) - 1] if weight > 0 else " ") * cells


def _coloured(weight: float, cells: int) -> str:
    if isnan(weight):
        return "?" * cells
    if weight <= 0:
        return " " * cells
    red, green, blue = colour_of(min(weight, 1))
    return f"\x1b[48;2;{red};{green};{blue}m{' ' * cells}\x1b[0m"


def _widest(labels: Sequence[str] | None, atleast: int) -> int:
    return min(WIDEST, max([atleast, *(cell_len(visible(label)) for label in labels or ())]))


def _assemble(body: list[list[str]], rows: Labels, columns: Labels, cells: int, edge: int) -> str:
    """Painted cells, each `cells` wide, with labels above and, `edge` wide, to the left."""
    lines = body if columns is None else [[fit(label, cells) for label in columns], *body]
    if rows is not None:
        left = rows if columns is None else ["", *rows]
        lines = [[fit(label, edge), *line] for label, line in zip(left, lines, strict=True)]
    return "\n".join(" ".join(line).rstrip() for line in lines)
