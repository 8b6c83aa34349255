"""What all lessons are made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from regard.errors import RegardError
from regard.viewer.grids import fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import Fact, Grid, RequestModel

Small = Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=40)]
__all__ = [
    "BY_HAND",
    "RANDOM",
    "Lesson",
    "LessonResult",
    "Small",
    "Word",
    "check_rectangular",
    "fact",
    "grid",
    "numbered_names",
]
BY_HAND, RANDOM = "by hand", "random"


@dataclass(frozen=True)
class LessonResult:
    """Whose numbers these are, and the numbers."""

    origin: str
    grids: list[Grid]
    facts: list[Fact]


@dataclass(frozen=True)
class Lesson:
    """What a page may change, how its numbers come about, and the Python lines that compute the same."""

    request: type[RequestModel]
    compute: Callable[[Any, ModelStore], LessonResult]  # of a `request`
    code: str


def numbered_names(name: str, count: int) -> list[str]:
    return [f"{name} {number}" for number in range(count)]


def check_rectangular(name: str, table: Sequence[Sequence[float]], width: int | None = None) -> None:
    """Raise unless all rows are equally long."""
    widths = {len(row) for row in table} | ({width} if width else set())
    if len(widths) != 1:
        raise RegardError(f"{name}: rows of {width or 'equal length'} numbers expected, got {sorted(map(len, table))}")
