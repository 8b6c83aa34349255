"""Sizes of letters and gaps, and where boxes, frames and arrows of a diagram stand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from regard.pictures.diagrams.diagram import BoxFrame, DiagramBox

Point = tuple[float, float]


@dataclass(frozen=True)
class Metrics:
    """The sizes of letters and gaps. `edge` is 1 where a border takes a cell of its own, else 0."""

    text_width: Callable[[str, str], float]
    title: float
    line: float
    pad: Point
    slim_pad: float
    gap: float
    fork_gap: float
    fork: float
    row_gap: float
    side_gap: float
    lane: float
    frame_pad: float
    header: float
    sum: Point
    edge: int = 0

    def half(self, size: float) -> float:
        return size // 2 if self.edge else size / 2


@dataclass(frozen=True)
class PlacedBox:
    box: DiagramBox
    x: float
    y: float
    width: float
    height: float
    metrics: Metrics

    @property
    def centre(self) -> Point:
        edge = self.metrics.edge
        return (
            self.x + self.metrics.half(self.width - edge),
            self.y + self.metrics.half(self.height - edge),
        )

    @property
    def top(self) -> Point:
        return self.centre[0], self.y - self.metrics.edge

    @property
    def bottom(self) -> Point:
        return self.centre[0], self.y + self.height

    def side(self, name: str) -> Point:
        """Where an arrow touches it on the left or on the right."""
        return (self.x - self.metrics.edge if name == "left" else self.x + self.width), self.centre[1]


@dataclass(frozen=True)
class PlacedFrame:
    frame: BoxFrame
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class PlacedWire:
    """An arrow as a line with corners, from its start to its end."""

    points: tuple[Point, ...]
    kind: str = "stream"
    has_head: bool = True
    note: str = ""


@dataclass(frozen=True)
class PartSize:
    """How large a part is, and how far from its left edge the stream passes through it."""

    width: float
    height: float
    axis: float


@dataclass
class DiagramSheet:
    """All that is drawn."""

    width: float = 0.0
    height: float = 0.0
    boxes: dict[str, PlacedBox] = field(default_factory=dict)
    frames: list[PlacedFrame] = field(default_factory=list)
    wires: list[PlacedWire] = field(default_factory=list)
    extents: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    """Left, top, right and bottom of parts that have a name."""


WIDTHS: Mapping[str, float] = {
    **dict.fromkeys("ijl.,:;'|!·", 0.27),
    **dict.fromkeys("ftr()[]/-I ", 0.34),
    **dict.fromkeys("mwMW%@", 0.86),
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ&", 0.69),
    **dict.fromkeys("→←×√⊕", 0.75),
}


def letters_width(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a text is in a sans-serif face, rather more than less: whoever shows it has fonts of their own."""
    return size * (1.12 if bold else 1.0) * 1.04 * sum(WIDTHS.get(letter, 0.565) for letter in text)
