"""A look at the neighbourhood only."""

from dataclasses import dataclass

from regard.attention.masks.mask import Mask
from regard.errors import ShapeError
from regard.shapes import Allowed, Columns, Rows


@dataclass(frozen=True)
class Window(Mask):
    """Each query sees its own position, `before` positions to the left and `after` to the right."""

    before: int
    after: int = 0

    def __post_init__(self) -> None:
        if self.before < 0 or self.after < 0:
            raise ShapeError(f"a window reaches 0 positions or more, got before={self.before}, after={self.after}")

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "Window":
        return cls(before=2, after=1)

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        ahead = columns - rows[:, None]
        return ((ahead >= -self.before) & (ahead <= self.after))[None, None]

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return max(first - self.before, 0), min(last + self.after + 1, keys)

    def free(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return max(last - self.before, 0), min(first + self.after + 1, keys)
