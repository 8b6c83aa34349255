"""No look ahead."""

from dataclasses import dataclass

from regard.attention.masks.mask import Mask
from regard.shapes import Allowed, Columns, Rows


@dataclass(frozen=True)
class Causal(Mask):
    """Each query sees its own position and those before it."""

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        return (rows[:, None] >= columns)[None, None]

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return 0, min(last + 1, keys)

    def free(self, first: int, last: int, keys: int) -> tuple[int, int]:
        return 0, min(first + 1, keys)

    def split(self, queries: int, keys: int) -> tuple[bool, Mask | None]:
        if queries == 1:  # one query beside the last key sees everything
            return False, None
        return (True, None) if queries == keys else (False, self)
