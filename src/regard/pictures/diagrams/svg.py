"""A diagram as a self-contained SVG: light and dark, what each box is under the pointer, and a link to its code."""

from posixpath import join
from xml.sax.saxutils import escape, quoteattr

from regard.pictures.diagrams.colours import DIAGRAM_DARK, DIAGRAM_LIGHT, HUES, WIRES, DiagramTheme
from regard.pictures.diagrams.diagram import Diagram
from regard.pictures.diagrams.placed import Point
from regard.pictures.diagrams.scene import (
    MUTED,
    HeadMark,
    LineMark,
    Mark,
    MarkGroup,
    RectangleMark,
    SumMark,
    TextMark,
    compose,
    distance,
    toward,
)

ROUND = 7.0  # the corner of a line
RULES = """
.regard-diagram { background: var(--paper);
  font: 11.5px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; }
.regard-diagram text { fill: var(--text); }
.regard-diagram .middle { text-anchor: middle; }
.regard-diagram .end { text-anchor: end; }
.regard-diagram .muted { fill: var(--muted); }
.regard-diagram .heading { font-size: 18px; font-weight: 650; letter-spacing: -.01em; }
.regard-diagram .title { font-size: 13px; font-weight: 600; }
.regard-diagram .label { font-size: 11px; font-weight: 600; }
.regard-diagram .count { font-size: 13px; font-weight: 700; }
.regard-diagram .on-frame { stroke: var(--panel); stroke-width: 4; paint-order: stroke; stroke-linejoin: round; }
.regard-diagram .frame { fill: var(--panel); stroke: var(--frame); }
.regard-diagram .wire { fill: none; stroke-width: 1.4; stroke-linejoin: round; }
.regard-diagram .dashed { stroke-dasharray: 2 3.5; stroke-linecap: round; }
.regard-diagram .plus { stroke: var(--text); stroke-width: 1.5; stroke-linecap: round; }
.regard-diagram a:hover rect, .regard-diagram a:focus-visible rect { stroke-width: 2; }
"""


def paint(diagram: Diagram, *, links: str | None = None) -> str:
    """The whole drawing. `links`: the way from where it stands to the folder that `src` is in; None: no links."""
    scene = compose(diagram)
    size = f'width="{scene.width:.0f}" height="{scene.height:.0f}" viewBox="0 0 {scene.width:.0f} {scene.height:.0f}"'
    role = "img" if links is None else "group"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="regard-diagram" role="{role}" {size}>',
            f"<title>{escape(scene.title)}</title>",
            f"<style>{style()}</style>",
            *(_group(group, links) for group in scene.groups),
            "</svg>\n",
        ]
    )


def style() -> str:
    """The rules, and the colours on a light page and on a dark one."""
    kinds = "".join(
        f".regard-diagram .{name} {{ fill: var(--{name}-fill); stroke: var(--{name}-line); }}\n"
        f".regard-diagram .bar-{name} {{ fill: var(--{name}-line); }}\n"
        for name in map(_css, HUES)
    )
    wires = "".join(
        f".regard-diagram .wire-{wire} {{ stroke: var(--{kind}-strong); }}\n"
        f".regard-diagram .head-{wire} {{ fill: var(--{kind}-strong); }}\n"
        for wire, kind in WIRES.items()
    )
    dark = f"@media (prefers-color-scheme: dark) {{\n{_variables(DIAGRAM_DARK)}}}\n"
    return f"{RULES}{kinds}{wires}{_variables(DIAGRAM_LIGHT)}{dark}"


def _variables(theme: DiagramTheme) -> str:
    return ".regard-diagram { " + " ".join(f"--{name}: {value};" for name, value in theme.variables().items()) + " }\n"


def _css(kind: str) -> str:
    return kind.replace("_", "-").replace(" ", "-")


def _group(group: MarkGroup, links: str | None) -> str:
    inside = "".join([f"<title>{escape(group.note)}</title>" if group.note else "", *map(_mark, group.marks)])
    if links is not None and group.source:
        return f"<a href={quoteattr(join(links, group.source))}>{inside}</a>"
    return f"<g>{inside}</g>"


def _mark(mark: Mark) -> str:
    if isinstance(mark, RectangleMark):
        place = f'x="{mark.x:.1f}" y="{mark.y:.1f}" width="{mark.width:.1f}" height="{mark.height:.1f}"'
        return f'<rect class="{_css(mark.style)}" {place} rx="{mark.radius:g}"/>'
    if isinstance(mark, TextMark):
        names = [mark.role, mark.anchor] + ["muted"] * (mark.role in MUTED) + ["on-frame"] * mark.on_frame
        return f'<text class="{" ".join(names)}" x="{mark.x:.1f}" y="{mark.y:.1f}">{escape(mark.text)}</text>'
    if isinstance(mark, LineMark):
        dashed = " dashed" if mark.is_dashed else ""
        return f'<path class="wire wire-{mark.style}{dashed}" d="{_path(mark.points)}"/>'
    if isinstance(mark, HeadMark):
        corners = "L".join(f"{x:.1f} {y:.1f}" for x, y in mark.points)
        return f'<path class="head-{mark.style}" d="M{corners}z"/>'
    return _sum(mark)


def _sum(mark: SumMark) -> str:
    arm = mark.radius - 5
    plus = f"M{mark.x - arm:.1f} {mark.y:.1f}h{2 * arm:.1f}M{mark.x:.1f} {mark.y - arm:.1f}v{2 * arm:.1f}"
    circle = f'<circle class="plain" cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="{mark.radius:.1f}"/>'
    return f'{circle}<path class="plus" d="{plus}"/>'


def _path(points: tuple[Point, ...]) -> str:
    """A line whose corners are round."""
    drawn = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        radius = min(ROUND, distance(before, corner) / 2, distance(corner, after) / 2)
        start, stop = toward(corner, before, radius), toward(corner, after, radius)
        drawn += f"L{start[0]:.1f} {start[1]:.1f}Q{corner[0]:.1f} {corner[1]:.1f} {stop[0]:.1f} {stop[1]:.1f}"
    return drawn + f"L{points[-1][0]:.1f} {points[-1][1]:.1f}"
