"""Numbers side by side as bars, in groups: in the terminal, or as a self-contained SVG."""

from collections.abc import Mapping
from math import isfinite
from xml.sax.saxutils import escape

from rich.cells import cell_len

from regard.errors import RegardError
from regard.pictures.chart import COLOURS
from regard.pictures.labels import fit, visible

Groups = Mapping[str, Mapping[str, float]]
"""For each group, a number for each name. Equal names have equal colours."""

EIGHTHS = " ▏▎▍▌▋▊▉"
WIDEST = 28  # letters of a name before it is cut
LETTER = 7.3  # the width of a 12-pixel monospace letter
BAR, GAP, LENGTH = 16, 12, 380  # pixels: how high a bar is, what lies between groups, how long the longest is

STYLE = """
.regard-bars { background: #fff; font: 12px ui-monospace, Menlo, Consolas, monospace; }
.regard-bars text { fill: #1a1a1a; white-space: pre; }
.regard-bars .group { font-weight: bold; }
.regard-bars .mark { stroke: #1a1a1a; stroke-dasharray: 3 3; }
@media (prefers-color-scheme: dark) {
  .regard-bars { background: #14171c; }
  .regard-bars text { fill: #e6e6e6; }
  .regard-bars .mark { stroke: #e6e6e6; }
}
"""


def text(groups: Groups, *, width: int = 80, unit: str = "") -> str:
    """One line for each number, on one scale from 0; as wide as the terminal that it is for."""
    most, names = _check(groups)
    edge = min(WIDEST, max(cell_len(visible(name)) for name in names))
    written = max(len(_number(value, unit)) for values in groups.values() for value in values.values())
    room = max(8, width - edge - written - 4)
    lines = []
    for group, values in groups.items():
        lines += [visible(group)] if group else []
        for name, value in values.items():
            lines.append(f"  {fit(name, edge)} {_blocks(value / most * room)} {_number(value, unit)}")
    return "\n".join(lines)


def svg(groups: Groups, *, title: str = "", unit: str = "", mark: float | None = None) -> str:
    """The same bars as a drawing; `mark` is a number to compare all of them with, as a line from top to bottom."""
    most, names = _check(groups)
    most = max(most, mark or 0)
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(names)}
    left = 20 + LETTER * min(WIDEST, max(cell_len(visible(name)) for name in names))
    top = 40 if title else 12
    parts, y = [], float(top)
    for group, values in groups.items():
        if group:
            parts.append(_text(10, y + 12, group, ' class="group"'))
            y += 20
        for name, value in values.items():
            length = max(0.5, value / most * LENGTH)
            shown = f"{group} {name}: {_number(value, unit)}".strip()
            parts += [
                _text(left - 6, y + 12, _short(name), ' text-anchor="end"'),
                f'<rect fill="{colours[name]}" x="{left:g}" y="{y:g}" width="{length:.1f}" height="{BAR - 3}">'
                f"<title>{escape(visible(shown))}</title></rect>",
                _text(left + length + 6, y + 12, _number(value, unit)),
            ]
            y += BAR
        y += GAP
    if mark is not None:
        parts.append(f'<path class="mark" d="M{left + mark / most * LENGTH:.1f} {top}V{y - GAP:g}"/>')
    width = max(left + LENGTH + 100, 20 + LETTER * cell_len(visible(title)))
    begin = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="regard-bars" role="img"'
        f' width="{width:g}" height="{y:g}" viewBox="0 0 {width:g} {y:g}">',
        f"<title>{escape(visible(title or 'bars'))}</title>",
        f"<style>{STYLE}</style>",
        *([_text(10, 22, title)] if title else []),
    ]
    return "\n".join([*begin, *parts, "</svg>"]) + "\n"


def _check(groups: Groups) -> tuple[float, list[str]]:
    """The largest number, and every name once; or why there can be no bars."""
    numbers = [(name, value) for values in groups.values() for name, value in values.items()]
    if not numbers:
        raise RegardError("bars need at least one number, got none")
    for name, value in numbers:
        if not isfinite(value) or value < 0:
            raise RegardError(f"a bar is as long as a number from 0 on, got {value:g} for {name!r}")
    return max(value for _, value in numbers) or 1.0, list(dict.fromkeys(name for name, _ in numbers))


def _blocks(cells: float) -> str:
    """A bar of so many cells, to an eighth; what is not nothing can be seen."""
    eighths = round(8 * cells) or int(cells > 0)
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()


def _number(value: float, unit: str) -> str:
    return (f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}") + (f" {unit}" if unit else "")


def _short(name: str) -> str:
    return fit(name, WIDEST) if cell_len(visible(name)) > WIDEST else visible(name)


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(visible(words))}</text>'
