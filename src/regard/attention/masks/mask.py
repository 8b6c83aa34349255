"""What every mask can do: answer for a tile, join with others, and be drawn."""

from collections.abc import Iterable

import torch

from regard.errors import ShapeError
from regard.pictures.terminal import boxes
from regard.shapes import Allowed, Columns, Rows

SHOWN = 40  # a drawing larger than this in either direction helps nobody


class Mask:
    """Who may look at whom: True = may look; the last query stands beside the last key.

    A mask is a small frozen value. It never holds queries x keys unless it was handed that (`Dense`).
    """

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "Mask":
        """A small one, for a call of these sizes: for tests and pages."""
        return cls()

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        """Whether the queries at these positions may look at the keys at those."""
        raise NotImplementedError

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        """A run of keys, start and stop, outside of which the queries from first to last see nothing."""
        return 0, keys

    def free(self, first: int, last: int, keys: int) -> tuple[int, int]:
        """A run of keys, start and stop, that the queries from first to last all see; none where it is not known."""
        return 0, 0

    def split(self, queries: int, keys: int) -> "tuple[bool, Mask | None]":
        """What the kernel's own causal switch can say, and what is left to tell it."""
        return False, self

    def part(self, batch: slice, heads: slice) -> "Mask":
        """The same mask for some members of the batch and some heads."""
        return self

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        """Raise ShapeError unless the mask fits a call of these sizes."""

    def __and__(self, other: "Mask") -> "Mask":
        from regard.attention.masks.algebra import And

        return And.of(self, other)

    def __or__(self, other: "Mask") -> "Mask":
        from regard.attention.masks.algebra import Or

        return Or((self, other))

    def __invert__(self) -> "Mask":
        from regard.attention.masks.algebra import Not

        return Not(self)

    def grid(self, queries: int, keys: int) -> Allowed:
        """The whole mask as a tensor; for pictures and small checks."""
        return self.tile(torch.arange(keys - queries, keys), torch.arange(keys))

    def draw(self, queries: int, keys: int, rows: Iterable[str] = (), columns: Iterable[str] = ()) -> str:
        """The mask as a picture for the terminal; one per member of the batch and head where they differ."""
        if max(queries, keys) > SHOWN:
            raise ShapeError(f"a drawing shows at most {SHOWN} x {SHOWN} positions, got {queries} x {keys}")
        grids = self.grid(queries, keys).flatten(0, 1)
        return "\n\n".join(boxes(grid.tolist(), list(rows) or None, list(columns) or None) for grid in grids)
