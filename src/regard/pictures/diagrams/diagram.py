"""Boxes, arrows and frames, before anything has a position: what a diagram says, whoever draws it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from regard.errors import ArgumentError

Form = Literal["box", "slim", "sum", "text", "blank", "point"]
Route = Literal["around", "over", "under", "beside", "across", "up", "rise"]
Side = Literal["left", "right"]
Joins = Literal["both", "in", "out", "none"]


@dataclass(frozen=True)
class DiagramBox:
    """One thing that computes: its title, what else there is to say of it, and the file that has its code.

    A `slim` box has a title alone, a `sum` adds what comes in, `text` stands without a border, `blank` is a slim box
    without one, and a `point` is nothing but a spot on the stream. `joins`: whether the arrows of a column pass through
    it, only come in or go out, or neither. `stretched`: as wide as its column. `parameters` are the numbers in it that
    are learned.
    """

    name: str
    title: str
    lines: tuple[str, ...] = ()
    kind: str = "plain"
    form: Form = "box"
    joins: Joins = "both"
    stretched: bool = False
    parameters: int = 0
    note: str = ""
    source: str = ""


@dataclass(frozen=True)
class BoxColumn:
    """Parts on top of each other, the first at the bottom; `joined`: an arrow goes up from each to the next."""

    parts: tuple["DiagramPart", ...]
    name: str = ""
    joined: bool = True


@dataclass(frozen=True)
class BoxRow:
    """Parts side by side, the first on the left; `joined`: an arrow goes from each to the next, or back (`backward`).

    The stream of a column passes through its middle, or through part number `stream`. `wide`: boxes are equally wide.
    """

    parts: tuple["DiagramPart", ...]
    name: str = ""
    joined: bool = False
    backward: bool = False
    wide: bool = False
    stream: int | None = None


@dataclass(frozen=True)
class BoxFrame:
    """A frame around a part, with a label, above or below, and behind it how often it is there."""

    name: str
    label: str
    part: "DiagramPart"
    count: str = ""
    is_label_below: bool = False
    note: str = ""
    source: str = ""


DiagramPart = DiagramBox | BoxColumn | BoxRow | BoxFrame


@dataclass(frozen=True)
class DiagramWire:
    """An arrow between two boxes by name, beside those that columns and rows have by themselves.

    It goes `around` the boxes between them on one side, `over` the top of its start, `under` its end, up `beside` its
    end and into it, `across` from side to side, `up`, or up and then into the side of its end (`rise`). An `is_fork`
    leaves the stream below its start. `outside` is the part whose edge it keeps clear of. On its way across it turns
    at `bend`, and arrives `lift` above the middle of its end, both as shares. Without a head it says that two boxes
    are one thing.
    """

    start: str
    end: str
    kind: str = "residual"
    route: Route = "around"
    side: Side = "left"
    is_fork: bool = False
    outside: str = ""
    bend: float = 0.5
    lift: float = 0.0
    has_head: bool = True
    note: str = ""


@dataclass(frozen=True)
class DiagramShare:
    """How many of all parameters a kind of box has."""

    kind: str
    label: str
    parameters: int


@dataclass(frozen=True)
class Diagram:
    """A whole drawing: its parts, the arrows among them, the shares of a bar below, and facts in words."""

    title: str
    subtitle: str
    part: DiagramPart
    wires: tuple[DiagramWire, ...] = ()
    shares: tuple[DiagramShare, ...] = ()
    facts: tuple[str, ...] = ()
    parameters: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        names = [box.name for box in boxes_of(self.part)]
        if doubled := {name for name in names if names.count(name) > 1}:
            raise ArgumentError(f"two boxes of a diagram are called {min(doubled)!r}")
        for wire in self.wires:
            for end in (wire.start, wire.end):
                if end not in names:
                    raise ArgumentError(f"an arrow of a diagram ends at {end!r}, which is no box of it")

    @cached_property
    def boxes(self) -> dict[str, DiagramBox]:
        """All boxes by name."""
        return {box.name: box for box in boxes_of(self.part)}

    def as_data(self) -> dict[str, Any]:
        """All of it as JSON can hold it; every part says what it is."""
        return {
            "title": self.title,
            "subtitle": self.subtitle,
            "parameters": self.parameters,
            "part": part_data(self.part),
            "wires": [asdict(wire) for wire in self.wires],
            "shares": [asdict(share) for share in self.shares],
            "facts": list(self.facts),
        }

    def draw(self, *, width: int | None = None) -> str:
        """For the terminal."""
        from regard.pictures.diagrams.text import draw

        return draw(self, width=width)

    def svg(self, *, links: str | None = None) -> str:
        """A self-contained SVG, for light and dark pages. `links` is the way from it to the folder of `src`."""
        from regard.pictures.diagrams.svg import paint

        return paint(self, links=links)

    def save(self, path: str | Path, *, links: str | None = None, dark: bool = False) -> None:
        """Write it in the form that the file's ending says: .svg, .png, .html or .txt."""
        from regard.pictures.diagrams.files import save_diagram

        save_diagram(self, path, links=links, dark=dark)

    def _repr_svg_(self) -> str:
        return self.svg()


def part_data(part: DiagramPart) -> dict[str, Any]:
    """A part as plain data: a box, or a column, a row or a frame of others."""
    if isinstance(part, DiagramBox):
        return {"type": "box"} | asdict(part)
    kind = type(part).__name__.removeprefix("Box").lower()
    own = {field.name: getattr(part, field.name) for field in fields(part) if field.name not in ("part", "parts")}
    inner = [part.part] if isinstance(part, BoxFrame) else part.parts
    return {"type": kind} | own | {"parts": [part_data(one) for one in inner]}


def boxes_of(part: DiagramPart) -> Iterator[DiagramBox]:
    """The boxes in a part, from the bottom up and from left to right."""
    if isinstance(part, DiagramBox):
        yield part
    elif isinstance(part, BoxFrame):
        yield from boxes_of(part.part)
    else:
        for inner in part.parts:
            yield from boxes_of(inner)


def entries(part: DiagramPart) -> list[DiagramBox]:
    """The boxes that an arrow from below leads to."""
    if isinstance(part, DiagramBox):
        return [part] if part.joins in ("both", "in") else []
    if isinstance(part, BoxFrame):
        return entries(part.part)
    if isinstance(part, BoxRow):
        return [box for inner in part.parts for box in entries(inner)]
    return entries(part.parts[0])


def exits(part: DiagramPart) -> list[DiagramBox]:
    """The boxes that an arrow to above comes from."""
    if isinstance(part, DiagramBox):
        return [part] if part.joins in ("both", "out") else []
    if isinstance(part, BoxFrame):
        return exits(part.part)
    if isinstance(part, BoxRow):
        return [box for inner in part.parts for box in exits(inner)]
    return exits(part.parts[-1])
