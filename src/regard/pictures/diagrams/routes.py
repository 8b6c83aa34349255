"""The ways that arrows of a diagram take between boxes that have their places."""

from regard.pictures.diagrams.diagram import DiagramWire
from regard.pictures.diagrams.placed import DiagramSheet, Metrics, PlacedBox, PlacedWire, Point


class Router:
    """Finds the corners of arrows on a sheet."""

    sheet: DiagramSheet
    metrics: Metrics

    def __init__(self, sheet: DiagramSheet, metrics: Metrics) -> None:
        self.sheet, self.metrics = sheet, metrics

    def upward(self, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        """From the top of a box to the bottom of one above, straight where one of them is wide enough."""
        (x, y), (to, below) = start.top, end.bottom
        if end.box.form == "sum" and abs(to - x) > end.width:
            side = "left" if x < to else "right"
            return (start.top, (x, end.centre[1]), end.side(side))
        if abs(x - to) < 1 or (end.box.form != "sum" and end.x + 6 < x < end.x + end.width - 6):
            return (start.top, (x, below))
        if start.x + 6 < to < start.x + start.width - 6:
            return ((to, y), end.bottom)
        middle = below + (1 if self.metrics.edge else self.metrics.gap / 2)
        return (start.top, (x, middle), (to, middle), end.bottom)

    def route(self, wire: DiagramWire) -> PlacedWire:
        start, end = self.sheet.boxes[wire.start], self.sheet.boxes[wire.end]
        routes = {
            "around": self.around,
            "over": self.over,
            "under": self.under,
            "beside": self.beside,
            "across": self.across,
            "up": self.up,
            "rise": self.rise,
        }
        points = routes[wire.route](wire, start, end)
        return PlacedWire(points, wire.kind, wire.has_head, wire.note)

    def up(self, wire: DiagramWire, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        return self.upward(start, end)

    def rise(self, wire: DiagramWire, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        """Up beside the boxes that stand between, and into the right side of one above."""
        m, (x, y) = self.metrics, start.top
        into = end.side("right")
        between = [box for box in self.sheet.boxes.values() if self.is_between(box, end, start) and box is not start]
        lane = max(box.x + box.width for box in between if box.y < start.y) + m.lane - 2 * m.edge
        if lane <= x:
            return (start.top, (x, into[1]), into)
        middle = y - (0 if m.edge else m.gap / 2)
        return (start.top, (x, middle), (lane, middle), (lane, into[1]), into)

    def under(self, wire: DiagramWire, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        """From the stream below a box, or from its side, to below another, and up into it."""
        first = (start.bottom[0], start.bottom[1] + self.metrics.fork) if wire.is_fork else start.side(wire.side)
        return (first, (end.bottom[0], first[1]), end.bottom)

    def beside(self, wire: DiagramWire, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        """Up from a wide box below, beside what stands between, and into the side of its end."""
        into = end.side(wire.side)
        lane = into[0] + (-1 if wire.side == "left" else 1) * (self.metrics.lane - self.metrics.edge)
        return ((lane, start.top[1]), (lane, into[1]), into)

    def around(self, wire: DiagramWire, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        """Out to a lane beside the boxes, along it, and back."""
        m = self.metrics
        between = [box for box in self.sheet.boxes.values() if self.is_between(box, start, end)]
        if wire.outside:
            left, _, right, _ = self.sheet.extents[wire.outside]
        else:
            left, right = min(box.x for box in between), max(box.x + box.width for box in between)
        lane = left - m.lane if wire.side == "left" else right + m.lane - m.edge
        first = (start.bottom[0], start.bottom[1] + m.fork) if wire.is_fork else start.side(wire.side)
        last = end.side(wire.side)
        return (first, (lane, first[1]), (lane, last[1]), last)

    def is_between(self, box: PlacedBox, start: PlacedBox, end: PlacedBox) -> bool:
        """Whether a box stands in the way of an arrow that goes up beside these two, in their column."""
        in_column = box.x < start.x + start.width and start.x < box.x + box.width
        return in_column and min(start.y, end.y) <= box.y <= max(start.y, end.y)

    def over(self, wire: DiagramWire, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        """Up from the top of a column, over to the next, and into the side of a box there."""
        m, side = self.metrics, "left" if start.x < end.x else "right"
        edge = self.sheet.extents[wire.outside] if wire.outside else (start.x, start.y, start.x + start.width, 0.0)
        top = (start.top[0], min(start.y, edge[1]) - m.gap)
        sign = 1 if side == "left" else -1
        channel = edge[2] + m.half(m.side_gap) if sign > 0 else edge[0] - m.half(m.side_gap)
        into = end.side(side)
        return (start.top, top, (channel, top[1]), (channel, into[1]), into)

    def across(self, wire: DiagramWire, start: PlacedBox, end: PlacedBox) -> tuple[Point, ...]:
        """From the side of one box to the facing side of another, with a bend half way if they differ in height."""
        forward = start.centre[0] < end.centre[0]
        first, last = start.side("right" if forward else "left"), end.side("left" if forward else "right")
        if not self.metrics.edge:
            level = abs(first[1] - last[1]) < 1
            last = (last[0], last[1] - wire.lift * end.height)
            first = (first[0], last[1]) if level else first
        if abs(first[1] - last[1]) < 1:
            return (first, (last[0], first[1]))
        middle = first[0] + (last[0] - first[0]) * wire.bend
        middle = round(middle) if self.metrics.edge else middle
        return (first, (middle, first[1]), (middle, last[1]), last)
