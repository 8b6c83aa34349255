"""Grids in the terminal: a mask as boxes, numbers as shades or colours."""

from collections.abc import Callable, Sequence
from math import ceil, isnan

from rich.cells import cell_len

from regard.pictures.colours import DARK
from regard.pictures.grids import Labels, plain
from regard.pictures.labels import fit, label, visible
from regard.pictures.picture import ByWord, Picture
from regard.pictures.scales import SCALES, Scale

SHADES = "·░▒▓█"
WIDEST, EDGE = 12, 24  # cells that labels of columns and of rows may take when nobody says how much room there is


def boxes(grid: object, rows: Labels = None, columns: Labels = None) -> str:
    """A grid of booleans: ■ where it is true, · where it is not."""
    table = plain(grid, rows, columns)
    cells = min(WIDEST, _widest(columns, atleast=1))
    body = [[fit("■" if cell else "·", cells) for cell in row] for row in table]
    return _assemble(body, rows, columns, cells, min(EDGE, _widest(rows, atleast=0)))


def heat(
    grid: object,
    rows: Labels = None,
    columns: Labels = None,
    *,
    colour: bool = False,
    width: int | None = None,
    scale: Scale | str = "linear",
    words: ByWord = False,
) -> str:
    """A grid of weights from 0 to 1, darker or lighter by weight; what is blank is exactly 0.

    `width` is the room in terminal cells: labels take what there is, and are cut to fit, down to one cell for each
    column.
    A weight beyond 0 or 1 is shown as 0 or 1, one that is not a number as ?, and what a scale took out as /
    """
    return draw(Picture(grid, rows, columns, scale=scale, words=words), colour=colour, width=width)


def draw(picture: Picture, *, colour: bool = False, width: int | None = None) -> str:
    """A picture for the terminal; below it what its scale did, unless that is the plain one from 0 to 1."""
    table, rows, columns = picture.table, picture.rows, picture.columns
    scale = picture.colours.fitted([table])
    cells, edge = _room(picture, width)
    paint = _colour if colour else _shade
    body = [
        [_missing(number, cells) if share is None else paint(share, cells) for number, share in zip(*pair, strict=True)]
        for pair in zip(table, scale.shares(table), strict=True)
    ]
    shown = _assemble(body, rows, columns, cells, edge)
    return shown if scale == SCALES["linear"] or not table else f"{shown}\n{_legend(scale, picture, paint)}"


def _room(picture: Picture, width: int | None) -> tuple[int, int]:
    """How wide columns are, and labels of rows: a third of the width, or what short columns leave."""
    cells, edge = _widest(picture.columns, atleast=2), _widest(picture.rows, atleast=0)
    count = len(picture.table[0]) if picture.table else 0
    if width is None or not count:
        return min(WIDEST, cells), min(EDGE, edge)
    left = max(width // 3, width - count * (min(WIDEST, cells) + 1))
    edge = min(edge, max(1, min(left, width - 2 * count)))
    return max(1, min(cells, (width - edge) // count - 1)), edge


def _missing(number: float, cells: int) -> str:
    """What is no number, or was taken out."""
    return ("?" if isnan(number) else "/") * cells


def _shade(share: float, cells: int) -> str:
    shade = SHADES[ceil(min(abs(share), 1) * len(SHADES)) - 1] if share else " "
    return ("-" + shade * (cells - 1)) if share < 0 else shade * cells


def _colour(share: float, cells: int) -> str:
    if not share:
        return " " * cells
    red, green, blue = DARK.colour(share)
    return f"\x1b[48;2;{red};{green};{blue}m{' ' * cells}\x1b[0m"


def _legend(scale: Scale, picture: Picture, paint: Callable[[float, int], str]) -> str:
    """Both ends of the scale, and what was done to the numbers."""
    low, high = scale.ends
    first = f"{paint(-1.0, 2)} {low:.4g}   " if low < 0 else f"{low:.4g} … "
    note = scale.note(picture.table, picture.columns)
    return f"{first}{paint(1.0, 2)} {high:.4g}" + (f"   {visible(note)}" if note else "")


def _widest(labels: Sequence[str] | None, atleast: int) -> int:
    return max([atleast, *(cell_len(label(one)) for one in labels or ())])


def _assemble(body: list[list[str]], rows: Labels, columns: Labels, cells: int, edge: int) -> str:
    """Painted cells, each `cells` wide, with labels above and, `edge` wide, to the left."""
    lines = body if columns is None else [[fit(name, cells) for name in columns], *body]
    if rows is not None:
        left = rows if columns is None else ["", *rows]
        lines = [[fit(name, edge), *line] for name, line in zip(left, lines, strict=True)]
    return "\n".join(" ".join(line).rstrip() for line in lines)
