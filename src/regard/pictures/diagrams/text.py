"""A diagram in the terminal, drawn with lines and corners."""

from itertools import pairwise

from rich.cells import cell_len

from regard.pictures.diagrams.diagram import Diagram
from regard.pictures.diagrams.layout import lay_out
from regard.pictures.diagrams.numbers import share_of, short_count
from regard.pictures.diagrams.placed import DiagramSheet, Metrics, PlacedBox, PlacedFrame, PlacedWire, Point
from regard.pictures.labels import visible

METRICS = Metrics(
    text_width=lambda text, role: float(cell_len(visible(text))),
    title=1.0,
    line=1.0,
    pad=(2.0, 1.0),
    slim_pad=1.0,
    gap=1.0,
    fork_gap=2.0,
    fork=1.0,
    row_gap=1.0,
    side_gap=5.0,
    lane=3.0,
    frame_pad=2.0,
    header=3.0,
    sum=(3.0, 1.0),
    edge=1,
)
UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8
LINES = {
    UP: "│", RIGHT: "─", DOWN: "│", LEFT: "─", UP | DOWN: "│", LEFT | RIGHT: "─", UP | RIGHT: "╰", UP | LEFT: "╯",
    DOWN | RIGHT: "╭", DOWN | LEFT: "╮", UP | DOWN | RIGHT: "├", UP | DOWN | LEFT: "┤", LEFT | RIGHT | DOWN: "┬",
    LEFT | RIGHT | UP: "┴", UP | DOWN | LEFT | RIGHT: "┼",
}  # fmt: skip
HEADS = {UP: "▲", RIGHT: "►", DOWN: "▼", LEFT: "◄"}
DASHES = {UP | DOWN: "┊", LEFT | RIGHT: "┈"}


def draw(diagram: Diagram, *, width: int | None = None) -> str:
    """The drawing, with its heading above and the numbers of parameters below."""
    sheet = lay_out(diagram, METRICS)
    canvas = _Canvas()
    for frame in sheet.frames:
        canvas.frame(frame)
    for wire in sheet.wires:
        canvas.wire(wire)
    canvas.settle()
    for frame in sheet.frames:
        canvas.label(frame)
    for box in sheet.boxes.values():
        canvas.box(box)
    heading = [visible(diagram.title), visible(diagram.subtitle), ""]
    return "\n".join([*heading, *canvas.lines(sheet), "", *_footer(diagram, width or 80)]).rstrip() + "\n"


def _footer(diagram: Diagram, width: int) -> list[str]:
    total = sum(share.parameters for share in diagram.shares)
    shares = [
        f"{one.label} {short_count(one.parameters)} ({share_of(one.parameters, total)})" for one in diagram.shares
    ]
    lines: list[str] = []
    for words in ([visible(one) for one in shares], [visible(fact) for fact in diagram.facts]):
        line = ""
        for word in words:
            joined = f"{line} · {word}" if line else word
            if line and cell_len(joined) > width:
                lines.append(line)
                joined = word
            line = joined
        lines += [line] if line else []
    return lines


class _Canvas:
    """Cells of a terminal, and the lines that meet in each of them."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], str] = {}
        self.strokes: dict[tuple[int, int], int] = {}
        self.dashed: set[tuple[int, int]] = set()
        self.heads: dict[tuple[int, int], str] = {}

    def write(self, x: float, y: float, text: str) -> None:
        column = int(x)
        for letter in text:
            self.cells[column, int(y)] = letter
            column += max(1, cell_len(letter))

    def frame(self, placed: PlacedFrame) -> None:
        self._border(placed.x, placed.y, placed.width, placed.height, "┌┐└┘")

    def label(self, placed: PlacedFrame) -> None:
        y = placed.y + (placed.height - 2 if placed.frame.is_label_below else 1)
        self.write(placed.x + 2, y, visible(placed.frame.label))
        count = visible(placed.frame.count)
        self.write(placed.x + placed.width - 2 - cell_len(count), y, count)

    def box(self, placed: PlacedBox) -> None:
        box = placed.box
        if box.form in ("sum", "point"):
            self.write(placed.x, placed.y, "(+)" if box.form == "sum" else "")
            return
        for row in range(int(placed.height)):
            self.write(placed.x, placed.y + row, " " * int(placed.width))
        if box.form in ("box", "slim"):
            self._border(placed.x, placed.y, placed.width, placed.height, "╭╮╰╯" if box.form == "box" else "┌┐└┘")
        y = placed.y + {"box": 1, "slim": 1, "blank": 1}.get(box.form, 0)
        for text in (box.title, *box.lines):
            shown = visible(text)
            self.write(placed.x + (placed.width - cell_len(shown)) // 2, y, shown)
            y += 1

    def _border(self, x: float, y: float, width: float, height: float, corners: str) -> None:
        right, bottom = x + width - 1, y + height - 1
        for column in range(int(x) + 1, int(right)):
            self.cells[column, int(y)] = self.cells[column, int(bottom)] = "─"
        for row in range(int(y) + 1, int(bottom)):
            self.cells[int(x), row] = self.cells[int(right), row] = "│"
        for corner, place in zip(corners, ((x, y), (right, y), (x, bottom), (right, bottom)), strict=True):
            self.cells[int(place[0]), int(place[1])] = corner

    def wire(self, wire: PlacedWire) -> None:
        points = [(round(x), round(y)) for x, y in wire.points]
        for start, end in pairwise(points):
            self._line(start, end, wire.kind == "tied")
        if points[0][0] == points[1][0]:
            self._stroke(points[0], UP | DOWN, wire.kind == "tied")
        if wire.has_head:
            self.heads[points[-1]] = HEADS[_direction(*points[-2:])]

    def _line(self, start: Point, end: Point, is_dashed: bool) -> None:
        """Strokes from the middle of a cell to the middle of another."""
        (x, y), (right, bottom) = start, end
        way = _direction(start, end)
        back = {UP: DOWN, DOWN: UP, LEFT: RIGHT, RIGHT: LEFT}[way]
        dx, dy = {UP: (0, -1), DOWN: (0, 1), LEFT: (-1, 0), RIGHT: (1, 0)}[way]
        while (x, y) != (right, bottom):
            self._stroke((x, y), way, is_dashed)
            x, y = x + dx, y + dy
            self._stroke((x, y), back, is_dashed)
        if start == end:
            self._stroke(start, way | back, is_dashed)

    def _stroke(self, cell: Point, bits: int, is_dashed: bool) -> None:
        key = (int(cell[0]), int(cell[1]))
        self.strokes[key] = self.strokes.get(key, 0) | bits
        if is_dashed:
            self.dashed.add(key)

    def settle(self) -> None:
        """Strokes become letters, over the borders of frames."""
        for cell, bits in self.strokes.items():
            dash = DASHES.get(bits) if cell in self.dashed else None
            self.cells[cell] = dash or LINES[bits]
        self.cells |= self.heads

    def lines(self, sheet: DiagramSheet) -> list[str]:
        rows = range(int(sheet.height) + 1)
        last = int(sheet.width) + 1
        lines = ["".join(self.cells.get((column, row), " ") for column in range(last + 1)).rstrip() for row in rows]
        while lines and not lines[-1]:
            lines.pop()
        return lines


def _direction(start: Point, end: Point) -> int:
    if start[0] == end[0]:
        return DOWN if end[1] > start[1] else UP
    return RIGHT if end[0] > start[0] else LEFT
