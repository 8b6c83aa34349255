"""What is added to a score and does not depend on the query."""

from torch import Tensor

from regard.attention.values import describe
from regard.shapes import Columns, Rows, Tile


class Bias:
    """Added to the scores of a tile; lazy, and knows its positions and its head numbers."""

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "Bias":
        """A small one, for a call of these sizes: for tests and pages."""
        return cls()

    def tile(self, rows: Rows, columns: Columns) -> Tile:
        """The numbers for the queries at these positions and the keys at those: (batch or 1, heads or 1, …)."""
        raise NotImplementedError

    def heads(self, heads: Tensor | slice) -> "Bias":
        """The bias of some heads, so that pruned layers and single heads get their own."""
        return self

    def part(self, batch: slice, heads: slice) -> "Bias":
        """The bias of some members of the batch and some heads."""
        return self.heads(heads)

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        """Raise ShapeError unless the bias fits a call of these sizes."""

    @property
    def learns(self) -> bool:
        """Whether a gradient is wanted, which no fused kernel gives."""
        return any(value.requires_grad for value in vars(self).values() if isinstance(value, Tensor))

    def __repr__(self) -> str:
        return describe(self)
