"""Where everything of a diagram stands: one way to lay it out, in pixels or in cells of a terminal."""

from itertools import pairwise

from regard.pictures.diagrams.diagram import (
    BoxColumn,
    BoxFrame,
    BoxRow,
    Diagram,
    DiagramBox,
    DiagramPart,
    boxes_of,
    entries,
    exits,
)
from regard.pictures.diagrams.placed import DiagramSheet, Metrics, PartSize, PlacedBox, PlacedFrame, PlacedWire
from regard.pictures.diagrams.routes import Router


def lay_out(diagram: Diagram, metrics: Metrics) -> DiagramSheet:
    """Parts first, from the top down, then the arrows between them; nothing is left of 0 or above it."""
    layout = _Layout(diagram, metrics)
    size = layout.measure(diagram.part)
    layout.place(diagram.part, 0.0, 0.0, size)
    for wire in diagram.wires:
        layout.sheet.wires.append(layout.router.route(wire))
    return layout.finish(size)


class _Layout:
    def __init__(self, diagram: Diagram, metrics: Metrics) -> None:
        self.diagram, self.metrics, self.sheet = diagram, metrics, DiagramSheet()
        self.router = Router(self.sheet, metrics)
        self.forks = {wire.start for wire in diagram.wires if wire.is_fork}
        self.widths: dict[str, float] = {}
        self._share_widths(diagram.part)

    def _share_widths(self, part: DiagramPart) -> None:
        """Boxes of one column are equally wide, those in frames of it too."""
        if isinstance(part, BoxFrame):
            self._share_widths(part.part)
        elif isinstance(part, BoxRow):
            for inner in part.parts:
                self._share_widths(inner)
            if part.wide:
                own = [inner for inner in part.parts if isinstance(inner, DiagramBox) and inner.form == "box"]
                widest = max((self.natural_width(box) for box in own), default=0.0)
                self.widths |= {box.name: widest for box in own}
        elif isinstance(part, BoxColumn):
            own = list(_column_boxes(part))
            widest = max((self.natural_width(box) for box in own), default=0.0)
            self.widths |= {box.name: widest for box in own}
            for inner in part.parts:
                if not isinstance(inner, DiagramBox):
                    self._rows_within(inner)

    def _rows_within(self, part: DiagramPart) -> None:
        """Rows in a column have widths of their own."""
        if isinstance(part, BoxRow):
            self._share_widths(part)
        elif isinstance(part, BoxFrame):
            self._rows_within(part.part)
        elif isinstance(part, BoxColumn):
            for inner in part.parts:
                self._rows_within(inner)

    def natural_width(self, box: DiagramBox) -> float:
        if box.form in ("sum", "point"):
            return self.metrics.sum[0] if box.form == "sum" else float(self.metrics.edge)
        pad = {"text": 0.0, "blank": self.metrics.pad[0]}.get(box.form, 2 * self.metrics.pad[0])
        texts = [(box.title, "title"), *((line, "line") for line in box.lines)]
        return pad + max(self.metrics.text_width(*text) for text in texts)

    def measure(self, part: DiagramPart) -> PartSize:
        m = self.metrics
        if isinstance(part, DiagramBox):
            width = max(self.widths.get(part.name, 0.0), self.natural_width(part))
            height = m.title + m.line * len(part.lines)
            height = {"sum": m.sum[1], "point": float(m.edge)}.get(part.form, height)
            height += {"box": 2 * m.pad[1], "slim": 2 * m.slim_pad, "blank": 2 * m.slim_pad}.get(part.form, 0.0)
            return PartSize(width, height, m.half(width - m.edge))
        if isinstance(part, BoxFrame):
            inner, (left, right) = self.measure(part.part), self.frame_pads(part)
            label = m.text_width(part.label, "label") + m.text_width(part.count, "count")
            header = label + 2 * m.frame_pad + (2 if m.edge else 22)
            extra = max(0.0, header - (inner.width + left + right))
            height = inner.height + m.header + self.frame_foot(part)
            return PartSize(inner.width + left + right + extra, height, inner.axis + left + m.half(extra))
        sizes = [self.measure(inner) for inner in part.parts]
        if isinstance(part, BoxRow):
            between = self.row_gap(part)
            width = sum(size.width for size in sizes) + between * (len(sizes) - 1)
            axis = m.half(width - m.edge)
            if part.stream is not None:
                before = sizes[: part.stream]
                axis = sum(size.width + between for size in before) + sizes[part.stream].axis
            return PartSize(width, max(size.height for size in sizes), axis)
        axis = max(size.axis for size in sizes)
        width = axis + max(size.width - size.axis for size in sizes)
        gaps = sum(self.gap(below, above) for below, above in pairwise(part.parts))
        return PartSize(width, sum(size.height for size in sizes) + gaps, axis)

    def gap(self, below: DiagramPart, above: DiagramPart) -> float:
        """Room between two parts of a column; more where an arrow forks or bends."""
        m = self.metrics
        if not isinstance(above, BoxFrame) and any(box.name in self.forks for box in entries(above)):
            return m.fork_gap
        if isinstance(below, DiagramBox) and below.form == "point":
            return m.gap if m.edge else m.gap * 0.8
        if isinstance(above, DiagramBox) and above.form == "point":
            return 0.0 if m.edge else m.gap * 0.5
        bends = isinstance(below, BoxRow) or isinstance(above, BoxRow)
        return m.fork_gap if bends and m.edge else m.gap

    def frame_foot(self, frame: BoxFrame) -> float:
        """Room opposite the label of a frame."""
        m = self.metrics
        if not frame.is_label_below and any(box.name in self.forks for box in entries(frame.part)):
            return m.fork_gap + m.edge
        return m.frame_pad if m.edge else m.frame_pad + 2

    def frame_pads(self, frame: BoxFrame) -> tuple[float, float]:
        """Room beside what is in a frame: more where an arrow goes around boxes."""
        m, names = self.metrics, {box.name for box in boxes_of(frame.part)}
        sides = {
            wire.side
            for wire in self.diagram.wires
            if wire.route in ("around", "beside") and not wire.outside and wire.end in names
        }
        left, right = (m.frame_pad + (m.lane if side in sides else 0) for side in ("left", "right"))
        return left, right

    def place(self, part: DiagramPart, x: float, y: float, size: PartSize) -> None:
        m = self.metrics
        if getattr(part, "name", ""):
            self.sheet.extents[part.name] = (x, y, x + size.width, y + size.height)
        if isinstance(part, DiagramBox):
            self.sheet.boxes[part.name] = PlacedBox(part, x, y, size.width, size.height, m)
        elif isinstance(part, BoxFrame):
            self.sheet.frames.append(PlacedFrame(part, x, y, size.width, size.height))
            inner = self.measure(part.part)
            above = self.frame_foot(part) if part.is_label_below else m.header
            self.place(part.part, x + size.axis - inner.axis, y + above, inner)
        elif isinstance(part, BoxRow):
            sizes = [self.measure(one) for one in part.parts]
            for one, inner in zip(part.parts, sizes, strict=True):
                self.place(one, x, y + self.drop(part, size, inner), inner)
                x += inner.width + self.row_gap(part)
            if part.joined:
                self.join_row(part)
        else:
            self.place_column(part, x, y, size)

    def row_gap(self, row: BoxRow) -> float:
        """Room between the parts of a row; more where arrows pass between them."""
        is_narrow = all(isinstance(part, DiagramBox) for part in row.parts) and row.stream is None and not row.joined
        return self.metrics.row_gap if is_narrow else self.metrics.side_gap

    def drop(self, row: BoxRow, size: PartSize, inner: PartSize) -> float:
        """How far from the top a part of a row stands: columns at the bottom, boxes in the middle."""
        rest = size.height - inner.height
        return rest if any(isinstance(part, BoxColumn | BoxFrame) for part in row.parts) else self.metrics.half(rest)

    def place_column(self, column: BoxColumn, x: float, y: float, size: PartSize) -> None:
        for number in reversed(range(len(column.parts))):
            part = column.parts[number]
            inner = self.measure(part)
            if isinstance(part, DiagramBox) and part.stretched:
                inner = PartSize(size.width, inner.height, size.axis)
            self.place(part, x + size.axis - inner.axis, y, inner)
            if number:
                y += inner.height + self.gap(column.parts[number - 1], part)
        if column.joined:
            for below, above in pairwise(column.parts):
                self.join(below, above)

    def join_row(self, row: BoxRow) -> None:
        for first, second in pairwise(row.parts):
            one, other = (self.sheet.boxes[next(boxes_of(part)).name] for part in (first, second))
            start, end = one.side("right"), other.side("left")
            ends = (end, start) if row.backward else (start, end)
            self.sheet.wires.append(PlacedWire(ends))

    def join(self, below: DiagramPart, above: DiagramPart) -> None:
        """The arrows from all that comes out of one part to all that goes into the next."""
        starts = [self.sheet.boxes[box.name] for box in exits(below)]
        ends = [self.sheet.boxes[box.name] for box in entries(above)]
        if len(starts) == len(ends):
            pairs = list(zip(starts, ends, strict=True))
        else:
            pairs = [(start, end) for start in starts for end in ends]
        for start, end in pairs:
            self.sheet.wires.append(PlacedWire(self.router.upward(start, end), has_head=end.box.form != "point"))

    def finish(self, size: PartSize) -> DiagramSheet:
        """Moves everything so that nothing sticks out."""
        xs = [point[0] for wire in self.sheet.wires for point in wire.points]
        ys = [point[1] for wire in self.sheet.wires for point in wire.points]
        edge = self.metrics.edge
        left, top = min([0.0, *xs]), min([0.0, *ys])
        right, bottom = max([size.width, *(x + edge for x in xs)]), max([size.height, *(y + edge for y in ys)])
        sheet = self.sheet
        sheet.boxes = {
            name: PlacedBox(box.box, box.x - left, box.y - top, box.width, box.height, box.metrics)
            for name, box in sheet.boxes.items()
        }
        sheet.frames = [
            PlacedFrame(one.frame, one.x - left, one.y - top, one.width, one.height) for one in sheet.frames
        ]
        sheet.wires = [
            PlacedWire(tuple((x - left, y - top) for x, y in wire.points), wire.kind, wire.has_head, wire.note)
            for wire in sheet.wires
        ]
        sheet.width, sheet.height = right - left, bottom - top
        return sheet


def _column_boxes(part: DiagramPart) -> list[DiagramBox]:
    """The boxes of a column that share their width: its own, and those of columns in its frames."""
    if isinstance(part, DiagramBox):
        return [part] if part.form in ("box", "slim") and not part.stretched else []
    if isinstance(part, BoxFrame):
        return _column_boxes(part.part)
    if isinstance(part, BoxColumn):
        return [box for inner in part.parts for box in _column_boxes(inner)]
    return [] if part.stream is None else _column_boxes(part.parts[part.stream])
