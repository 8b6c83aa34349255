"""Curves in the terminal, drawn with the dots of Braille letters."""

from collections.abc import Mapping
from itertools import pairwise
from math import isfinite

from regard.errors import RegardError
from regard.pictures.chart import Points
from regard.pictures.labels import visible

DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a Braille letter, by row and column."""
MARKS = ("31", "34", "32", "35", "33", "36")  # colours of the terminal, one for each series


def plot(series: Mapping[str, Points], *, width: int = 80, height: int = 16, colour: bool = False, x: str = "") -> str:
    """One line for each series of (x, y) points, on one scale, each with its last number below.

    Without colour, lines that cross cannot be told apart: then every series has a picture of its own.
    """
    finite = {
        name: [point for point in points if isfinite(point[0]) and isfinite(point[1])]
        for name, points in series.items()
    }
    if not any(finite.values()):
        raise RegardError("a plot needs at least one point, got none that is finite")
    if not colour and len(finite) > 1:
        return "\n\n".join(
            plot({name: points}, width=width, height=height, x=x) for name, points in finite.items() if points
        )
    every = [point for points in finite.values() for point in points]
    left, right = min(point[0] for point in every), max(point[0] for point in every)
    low, high = min(point[1] for point in every), max(point[1] for point in every)
    edge = max(len(f"{low:.4g}"), len(f"{high:.4g}")) + 1
    across, down = 2 * max(8, width - edge - 1), 4 * height
    cells = [[0] * (across // 2) for _ in range(height)]
    marks = [[""] * (across // 2) for _ in range(height)]
    for number, points in enumerate(finite.values()):
        placed = [
            (
                round((point[0] - left) / ((right - left) or 1) * (across - 1)),
                round((high - point[1]) / ((high - low) or 1) * (down - 1)),
            )
            for point in sorted(points)
        ]
        for dot in _join_dots(placed):
            cells[dot[1] // 4][dot[0] // 2] |= DOTS[dot[1] % 4][dot[0] % 2]
            marks[dot[1] // 4][dot[0] // 2] = MARKS[number % len(MARKS)]
    lines = []
    for row in range(height):
        label = f"{high:.4g}" if row == 0 else f"{low:.4g}" if row == height - 1 else ""
        painted = "".join(_paint(cell, mark, colour) for cell, mark in zip(cells[row], marks[row], strict=True))
        lines.append(f"{label:>{edge - 1}} │{painted.rstrip()}")
    lines.append(f"{'':>{edge}}└ {left:g} … {right:g} {x}".rstrip())
    for number, (name, points) in enumerate(finite.items()):
        if points:
            mark = f"\x1b[{MARKS[number % len(MARKS)]}m━\x1b[0m" if colour else "━"
            lines.append(f"{'':>{edge}}  {mark} {visible(name)}: {sorted(points)[-1][1]:.4g}")
    return "\n".join(lines)


def _join_dots(dots: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The dots, and those on the straight lines between them."""
    joined = dots[:1]
    for (x0, y0), (x1, y1) in pairwise(dots):
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        joined += [
            (x0 + round((x1 - x0) * step / steps), y0 + round((y1 - y0) * step / steps)) for step in range(1, steps + 1)
        ]
    return joined


def _paint(cell: int, mark: str, colour: bool) -> str:
    letter = chr(0x2800 + cell) if cell else " "
    return f"\x1b[{mark}m{letter}\x1b[0m" if colour and cell else letter
