"""Weights as a self-contained SVG: labels, a legend, the exact number under the pointer."""

from math import isnan
from typing import Any
from xml.sax.saxutils import escape

from rich.cells import cell_len

from regard.pictures.grids import Labels, plain
from regard.pictures.labels import fit, visible

CELL = 18
LETTER = 7.3  # the width of a 12-pixel monospace letter
WIDEST = 24  # letters of a label before it is cut

# Every cell is the same ink, as opaque as its weight: the page behind it may be light or dark.
STYLE = """
.regard-heat { background: #fff; font: 12px ui-monospace, Menlo, Consolas, monospace; }
.regard-heat text { fill: #1a1a1a; white-space: pre; }
.regard-heat .ink { fill: #08306b; }
.regard-heat .frame { fill: none; stroke: #b8b8b8; }
@media (prefers-color-scheme: dark) {
  .regard-heat { background: #14171c; }
  .regard-heat text { fill: #e6e6e6; }
  .regard-heat .ink { fill: #9ecbff; }
  .regard-heat .frame { stroke: #555; }
}
"""


def heat(grid: Any, rows: Labels = None, columns: Labels = None, *, title: str | None = None) -> str:
    """A grid of weights from 0 (the colour of the page) to 1 (deep blue), a row for each query.

    A weight beyond 0 or 1 is painted as 0 or 1; one that is not a number is left unpainted and says so.
    """
    table = plain(grid, rows, columns)
    across, down = CELL * (len(table[0]) if table else 0), CELL * len(table)
    left = 10 + _room(rows)
    top = 10 + (24 if title else 0) + _room(columns)
    width = max(left + across + 10, 180, 20 + LETTER * cell_len(visible(title or "")))
    height = top + down + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="regard-heat" role="img"'
        f' width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">',
        f"<title>{escape(visible(title or 'attention weights'))}</title>",
        f"<style>{STYLE}</style>",
        _text(10, 22, visible(title)) if title else "",
        *_labels(rows, columns, left, top),
        *(
            _cell(weight, left + CELL * j, top + CELL * i, _where(i, j, rows, columns))
            for i, row in enumerate(table)
            for j, weight in enumerate(row)
        ),
        f'<rect class="frame" x="{left:g}" y="{top:g}" width="{across}" height="{down}"/>',
        *_legend(10, top + down + 14),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _room(labels: Labels) -> float:
    """Pixels that the longest label takes."""
    return LETTER * min(WIDEST, max((cell_len(visible(label)) for label in labels or ()), default=0)) + 6


def _short(label: str) -> str:
    shown = visible(label)
    return fit(label, WIDEST) if cell_len(shown) > WIDEST else shown


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(text)}</text>'


def _labels(rows: Labels, columns: Labels, left: float, top: float) -> list[str]:
    """Row labels end at the grid; column labels stand on it, read from bottom to top."""
    beside = [
        _text(left - 6, top + CELL * i + 13, _short(label), ' text-anchor="end"') for i, label in enumerate(rows or ())
    ]
    above = [
        _text(x, top - 6, _short(label), f' transform="rotate(-90 {x:g} {top - 6:g})"')
        for j, label in enumerate(columns or ())
        for x in [left + CELL * j + 13]
    ]
    return beside + above


def _where(i: int, j: int, rows: Labels, columns: Labels) -> str:
    return f"{rows[i] if rows else i} → {columns[j] if columns else j}"


def _cell(weight: float, x: float, y: float, where: str) -> str:
    opacity = 0 if isnan(weight) else min(max(weight, 0), 1)
    return (
        f'<rect class="ink" x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" fill-opacity="{opacity:.4g}">'
        f"<title>{escape(visible(where))}: {weight:.4g}</title></rect>"
    )


def _legend(x: float, y: float) -> list[str]:
    """The scale from 0 to 1 in eleven steps."""
    steps = [
        f'<rect class="ink" x="{x + 20 + 10 * step:g}" y="{y:g}" width="10" height="10" fill-opacity="{step / 10:g}"/>'
        for step in range(11)
    ]
    frame = f'<rect class="frame" x="{x + 20:g}" y="{y:g}" width="110" height="10"/>'
    return [_text(x + 6, y + 10, "0"), *steps, frame, _text(x + 136, y + 10, "1")]
