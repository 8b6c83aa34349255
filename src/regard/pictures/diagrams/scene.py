"""A diagram as marks on a sheet: rectangles, lines and letters in pixels, whoever paints them."""

from dataclasses import dataclass
from math import hypot
from typing import Literal

from regard.pictures.diagrams.diagram import Diagram, DiagramBox
from regard.pictures.diagrams.layout import lay_out
from regard.pictures.diagrams.numbers import share_of, short_count
from regard.pictures.diagrams.placed import Metrics, PlacedBox, PlacedFrame, PlacedWire, Point, letters_width
from regard.pictures.labels import visible

Role = Literal["heading", "title", "line", "label", "count", "legend"]
Anchor = Literal["start", "middle", "end"]

SIZES: dict[str, tuple[float, bool]] = {
    "heading": (18.0, True),
    "title": (13.0, True),
    "line": (11.5, False),
    "label": (11.0, True),
    "count": (13.0, True),
    "legend": (11.5, False),
}
"""The size of letters in pixels, and whether they are bold."""
MUTED = {"line", "label"}
EDGE, HEAD, NARROWEST = 14.0, 5.5, 250.0  # around everything; an arrow's head; the bar below
METRICS = Metrics(
    text_width=lambda text, role: letters_width(text, SIZES[role][0], bold=SIZES[role][1]),
    title=18.0,
    line=15.5,
    pad=(11.0, 7.0),
    slim_pad=4.0,
    gap=18.0,
    fork_gap=27.0,
    fork=15.0,
    row_gap=10.0,
    side_gap=30.0,
    lane=13.0,
    frame_pad=11.0,
    header=31.0,
    sum=(18.0, 18.0),
)


@dataclass(frozen=True)
class RectangleMark:
    """`style` is a kind of box, "frame", or "bar" and a kind."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    style: str


@dataclass(frozen=True)
class SumMark:
    """A circle with a plus in it."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class LineMark:
    """A line with round corners, of the colour of a kind of arrow."""

    points: tuple[Point, ...]
    style: str
    is_dashed: bool


@dataclass(frozen=True)
class HeadMark:
    """The three corners of an arrow's head."""

    points: tuple[Point, Point, Point]
    style: str


@dataclass(frozen=True)
class TextMark:
    """Letters on their base line; `on_frame`: nothing shines through between them."""

    x: float
    y: float
    text: str
    role: Role
    anchor: Anchor = "middle"
    on_frame: bool = False


Mark = RectangleMark | SumMark | LineMark | HeadMark | TextMark


@dataclass(frozen=True)
class MarkGroup:
    """Marks that belong together: what is said when they are pointed at, and the file that they lead to."""

    marks: tuple[Mark, ...]
    note: str = ""
    source: str = ""


@dataclass(frozen=True)
class DiagramScene:
    title: str
    width: float
    height: float
    groups: tuple[MarkGroup, ...]


def compose(diagram: Diagram) -> DiagramScene:
    """Everything in its place: heading, drawing, bar, facts."""
    sheet = lay_out(diagram, METRICS)
    heading = max(
        letters_width(diagram.title, SIZES["heading"][0], bold=True), letters_width(diagram.subtitle, SIZES["line"][0])
    )
    inner = max(sheet.width, NARROWEST)
    width = max(inner, heading) + 2 * EDGE
    top = EDGE + 52.0
    left = (width - sheet.width) / 2
    groups = [
        MarkGroup(
            (
                TextMark(EDGE, EDGE + 15, visible(diagram.title), "heading", "start"),
                TextMark(EDGE, EDGE + 34, visible(diagram.subtitle), "line", "start"),
            )
        )
    ]
    body = [frame_marks(frame) for frame in sheet.frames]
    body += [wire_marks(wire) for wire in sheet.wires]
    body += [label_marks(frame) for frame in sheet.frames]
    body += [box_marks(box) for box in sheet.boxes.values()]
    groups += [shifted(group, left, top) for group in body if group.marks]
    below, height = footer(diagram, width - 2 * EDGE)
    groups += [shifted(group, EDGE, top + sheet.height) for group in below]
    return DiagramScene(
        visible(f"{diagram.title}: {diagram.subtitle}"), width, top + sheet.height + height + EDGE, tuple(groups)
    )


def frame_marks(placed: PlacedFrame) -> MarkGroup:
    mark = RectangleMark(placed.x, placed.y, placed.width, placed.height, 13, "frame")
    return MarkGroup((mark,), visible(placed.frame.note))


def label_marks(placed: PlacedFrame) -> MarkGroup:
    """What a frame is, and how often it is there."""
    frame = placed.frame
    y = placed.y + (placed.height - 12 if frame.is_label_below else 19.5)
    marks = [TextMark(placed.x + 12, y, visible(frame.label), "label", "start", on_frame=True)]
    if frame.count:
        marks.append(TextMark(placed.x + placed.width - 12, y, visible(frame.count), "count", "end", on_frame=True))
    return MarkGroup(tuple(marks), visible(frame.note), frame.source)


def box_marks(placed: PlacedBox) -> MarkGroup:
    box, (x, middle) = placed.box, placed.centre
    if box.form == "point":
        return MarkGroup(())
    if box.form == "sum":
        return MarkGroup((SumMark(x, middle, placed.width / 2),), description(box), box.source)
    marks: list[Mark] = []
    if box.form in ("box", "slim"):
        marks.append(RectangleMark(placed.x, placed.y, placed.width, placed.height, 7, box.kind))
    y = placed.y + {"box": METRICS.pad[1], "slim": METRICS.slim_pad, "blank": METRICS.slim_pad}.get(box.form, 0.0)
    marks.append(TextMark(x, y + 13.5, visible(box.title), "title"))
    y += METRICS.title + 11.5
    for number, line in enumerate(box.lines):
        marks.append(TextMark(x, y + number * METRICS.line, visible(line), "line"))
    return MarkGroup(tuple(marks), description(box), box.source)


def description(box: DiagramBox) -> str:
    """What a box says when it is pointed at."""
    numbers = f"{box.parameters:,} parameters" if box.parameters else ""
    title = "sum" if box.form == "sum" else ": ".join([box.title, *([" · ".join(box.lines)] if box.lines else [])])
    return visible(" — ".join(part for part in (title, box.note, numbers) if part))


def wire_marks(wire: PlacedWire) -> MarkGroup:
    points = [wire.points[0]]
    for point in wire.points[1:]:
        if distance(point, points[-1]) > 0.5:
            points.append(point)
    if len(points) < 2:
        return MarkGroup(())
    marks: list[Mark] = []
    if wire.has_head:
        end, before = points[-1], points[-2]
        base = toward(end, before, HEAD)
        across = ((end[1] - base[1]) * 0.58, (base[0] - end[0]) * 0.58)
        corners = (end, (base[0] + across[0], base[1] + across[1]), (base[0] - across[0], base[1] - across[1]))
        marks.append(HeadMark(corners, wire.kind))
        points[-1] = base
    marks.insert(0, LineMark(tuple(points), wire.kind, wire.kind == "tied"))
    return MarkGroup(tuple(marks), visible(wire.note))


def distance(one: Point, other: Point) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


def toward(start: Point, end: Point, far: float) -> Point:
    """The point so far from one on the way to another."""
    length = distance(start, end) or 1.0
    return start[0] + (end[0] - start[0]) * far / length, start[1] + (end[1] - start[1]) * far / length


def footer(diagram: Diagram, width: float) -> tuple[list[MarkGroup], float]:
    """A bar of all parameters by kind, what its colours mean, and the facts; and how high they are."""
    groups: list[MarkGroup] = []
    total = sum(share.parameters for share in diagram.shares)
    y, size = 20.0, SIZES["legend"][0]
    if total:
        x = 0.0
        for share in diagram.shares:
            part = width * share.parameters / total
            tooltip = f"{share.label}: {share.parameters:,} parameters"
            groups.append(MarkGroup((RectangleMark(x, y, max(part - 1.5, 0.5), 8, 2, f"bar {share.kind}"),), tooltip))
            x += part
        x, y = 0.0, y + 27.0
        for share in diagram.shares:
            text = f"{share.label} {short_count(share.parameters)} · {share_of(share.parameters, total)}"
            wide = letters_width(text, size) + 16
            if x and x + wide > width:
                x, y = 0.0, y + 18.0
            swatch = RectangleMark(x, y - 9, 10, 10, 2.5, share.kind)
            groups.append(MarkGroup((swatch, TextMark(x + 15, y, text, "legend", "start"))))
            x += wide + 12
        y += 20.0
    for fact in wrapped(diagram.facts, width, size):
        groups.append(MarkGroup((TextMark(0, y, visible(fact), "line", "start"),)))
        y += 16.0
    return groups, y - 16.0


def wrapped(facts: tuple[str, ...], width: float, size: float) -> list[str]:
    """Facts one behind the other, as many in a line as there is room for."""
    lines: list[str] = []
    for fact in facts:
        joined = f"{lines[-1]} · {fact}" if lines else fact
        if lines and letters_width(joined, size) <= width:
            lines[-1] = joined
        else:
            lines.append(fact)
    return lines


def shifted(group: MarkGroup, x: float, y: float) -> MarkGroup:
    """The same, so far to the right and down."""

    def moved(points: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple((one + x, other + y) for one, other in points)

    marks: list[Mark] = []
    for mark in group.marks:
        if isinstance(mark, LineMark):
            marks.append(LineMark(moved(mark.points), mark.style, mark.is_dashed))
        elif isinstance(mark, HeadMark):
            one, two, three = moved(mark.points)
            marks.append(HeadMark((one, two, three), mark.style))
        elif isinstance(mark, TextMark):
            marks.append(TextMark(mark.x + x, mark.y + y, mark.text, mark.role, mark.anchor, mark.on_frame))
        elif isinstance(mark, SumMark):
            marks.append(SumMark(mark.x + x, mark.y + y, mark.radius))
        else:
            marks.append(RectangleMark(mark.x + x, mark.y + y, mark.width, mark.height, mark.radius, mark.style))
    return MarkGroup(tuple(marks), group.note, group.source)
