"""Curves as a self-contained SVG: one line per series, for benchmarks and training."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from xml.sax.saxutils import escape

from regard.errors import RegardError
from regard.pictures.labels import visible

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 74, 20, 44, 54

# Okabe and Ito's colours, told apart by people who confuse red and green; dashes tell them apart in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")

STYLE = """
.regard-chart { background: #fff; font: 12px ui-monospace, Menlo, Consolas, monospace; }
.regard-chart text { fill: #1a1a1a; white-space: pre; }
.regard-chart .grid { stroke: #ddd; }
.regard-chart .line { fill: none; stroke-width: 2; stroke-linecap: round; }
@media (prefers-color-scheme: dark) {
  .regard-chart { background: #14171c; }
  .regard-chart text { fill: #e6e6e6; }
  .regard-chart .grid { stroke: #333a44; }
}
"""


@dataclass(frozen=True)
class Axis:
    """The numbers from `low` to `high`, and where each falls between 0 and 1."""

    low: float
    high: float
    is_log: bool

    def share(self, value: float) -> float:
        bend: Callable[[float], float] = log10 if self.is_log else float
        return (bend(value) - bend(self.low)) / (bend(self.high) - bend(self.low))

    def ticks(self) -> list[float]:
        """Round numbers within the axis, some three to ten of them."""
        if not self.is_log:
            step = 10.0 ** floor(log10(self.high - self.low))
            step *= next(part for part in (0.1, 0.2, 0.5, 1) if (self.high - self.low) / (step * part) <= 10)
            first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
            return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
        decades = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        parts = (1,) if len(decades) > 4 else (1, 2, 5)
        ticks = [part * 10.0**decade for decade in decades for part in parts]
        return [tick for tick in ticks if self.low <= tick * (1 + 1e-9) and tick <= self.high * (1 + 1e-9)]


def lines(
    series: Mapping[str, Points],
    *,
    log_x: bool = False,
    log_y: bool = False,
    title: str = "",
    x: str = "",
    y: str = "",
) -> str:
    """One line for each series of (x, y) points, named below; a point that is not finite leaves a gap."""
    across = _axis(series, 0, log_x)
    up = _axis(series, 1, log_y)

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return (
            LEFT + across.share(point[0]) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - up.share(point[1]) * (HEIGHT - TOP - BOTTOM),
        )

    height = HEIGHT + 18 * len(series)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="regard-chart" role="img"'
        f' width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">',
        f"<title>{escape(visible(title or 'chart'))}</title>",
        f"<style>{STYLE}</style>",
        _text(LEFT, 18, title),
        _text(LEFT, 36, y),
        _text(WIDTH - RIGHT, HEIGHT - 12, x, "end"),
    ]
    for tick in across.ticks():
        at, _ = place((tick, up.low))
        parts.append(f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(_text(at, HEIGHT - BOTTOM + 18, f"{tick:,g}", "middle"))
    for tick in up.ticks():
        _, at = place((across.low, tick))
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 8, at + 4, f"{tick:,g}", "end"))
    for number, (name, points) in enumerate(series.items()):
        stroke = f'stroke="{COLOURS[number % len(COLOURS)]}" stroke-dasharray="{DASHES[number % len(DASHES)]}"'
        parts.append(f'<path class="line" {stroke} d="{_path(points, place)}"/>')
        legend = HEIGHT + 18 * number
        parts.append(f'<path class="line" {stroke} d="M{LEFT} {legend}h28"/>')
        parts.append(_text(LEFT + 36, legend + 4, name))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _axis(series: Mapping[str, Points], side: int, is_log: bool) -> Axis:
    """The axis that holds every finite number on one side (x or y) of the points."""
    numbers = [point[side] for points in series.values() for point in points if _is_finite(point)]
    if not numbers:
        raise RegardError("a chart needs at least one point, got none that is finite")
    low, high = min(numbers), max(numbers)
    if is_log and low <= 0:
        raise RegardError(f"a logarithmic axis takes numbers above 0, got {low:g}")
    if low == high:
        low, high = (low / 2, high * 2) if is_log else (low - 1, high + 1)
    return Axis(low, high, is_log)


def _is_finite(point: tuple[float, float]) -> bool:
    return isfinite(point[0]) and isfinite(point[1])


def _path(points: Points, place: Callable[[tuple[float, float]], tuple[float, float]]) -> str:
    """Pen down along the points, and up over a gap; a point with no neighbour is a dot."""
    strokes, pen = [], "M"
    for point in points:
        if not _is_finite(point):
            pen = "M"
            continue
        left, top = place(point)
        strokes.append(f"{pen}{left:.1f} {top:.1f}" + ("h0" if pen == "M" else ""))
        pen = "L"
    return "".join(strokes)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(visible(text))}</text>'
