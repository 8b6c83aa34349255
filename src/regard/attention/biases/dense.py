"""A bias that somebody wrote out in full."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention.biases.bias import Bias
from regard.errors import ShapeError, expect
from regard.shapes import Columns, Rows, Tile


@dataclass(frozen=True, eq=False, repr=False)
class DenseBias(Bias):
    """Any numbers at all, as a tensor (batch or 1, heads or 1, queries, keys)."""

    numbers: Tensor

    def __post_init__(self) -> None:
        if self.numbers.ndim != 4 or not self.numbers.is_floating_point():
            raise ShapeError(
                "DenseBias takes floating-point numbers of (batch or 1, heads or 1, queries, keys), "
                f"got {self.numbers.dtype} of {tuple(self.numbers.shape)}"
            )

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "DenseBias":
        """The first key is favoured, more so in later heads and later members of the batch."""
        numbers = torch.zeros(batch, heads, queries, keys)
        numbers[..., 0] = (torch.arange(batch)[:, None] + torch.arange(heads) + 1)[..., None]
        return cls(numbers)

    def tile(self, rows: Rows, columns: Columns) -> Tile:
        queries, keys = self.numbers.shape[-2:]
        rows = torch.zeros_like(rows) if queries == 1 else rows - (keys - queries)
        return self.numbers[:, :, rows[:, None], columns]

    def heads(self, heads: Tensor | slice) -> "DenseBias":
        return DenseBias(self.numbers[:, heads]) if self.numbers.shape[1] > 1 else self

    def part(self, batch: slice, heads: slice) -> "DenseBias":
        members = DenseBias(self.numbers[batch]) if self.numbers.shape[0] > 1 else self
        return members.heads(heads)

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        sizes = self.numbers.shape
        expect("DenseBias", "batch members", sizes[0], batch, 1)
        expect("DenseBias", "heads", sizes[1], heads, 1)
        expect("DenseBias", "queries", sizes[2], queries, 1)
        expect("DenseBias", "keys", sizes[3], keys)
