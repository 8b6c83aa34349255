"""A mask that somebody wrote out in full."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention.masks.mask import Mask
from regard.errors import ShapeError, expect
from regard.shapes import Allowed, Columns, Rows


@dataclass(frozen=True, eq=False, repr=False)
class DenseMask(Mask):
    """Any mask at all, as a tensor (queries, keys), with batch and heads in front where they differ."""

    allowed: Tensor

    def __post_init__(self) -> None:
        if self.allowed.dtype != torch.bool:
            raise ShapeError(
                f"DenseMask takes bool, True = may look, got {self.allowed.dtype}; to add numbers use bias=DenseBias(…)"
            )
        if self.allowed.ndim not in (2, 3, 4):
            raise ShapeError(
                "DenseMask takes (queries, keys), (batch, queries, keys) or (batch, heads, queries, keys), "
                f"got {tuple(self.allowed.shape)}"
            )

    @property
    def full(self) -> Tensor:
        """The same tensor with four dimensions."""
        allowed = self.allowed
        return allowed[:, None] if allowed.ndim == 3 else allowed[(None,) * (4 - allowed.ndim)]

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "DenseMask":
        """Keys at an even distance from the query, odd in every second head."""
        distance = torch.arange(keys) - torch.arange(keys - queries, keys)[:, None]
        return cls((distance + torch.arange(heads)[:, None, None]).remainder(2).eq(0).expand(batch, -1, -1, -1))

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        queries, keys = self.allowed.shape[-2:]
        # One row or one column stands for all of them, as in a broadcast.
        rows = torch.zeros_like(rows) if queries == 1 else rows - (keys - queries)
        return self.full[:, :, rows[:, None], columns]

    def part(self, batch: slice, heads: slice) -> Mask:
        full = self.full
        full = full[batch] if full.shape[0] > 1 else full
        return DenseMask(full[:, heads] if full.shape[1] > 1 else full)

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        sizes = self.full.shape
        expect("DenseMask", "batch members", sizes[0], batch, 1)
        expect("DenseMask", "heads", sizes[1], heads, 1)
        expect("DenseMask", "queries", sizes[2], queries, 1)
        expect("DenseMask", "keys", sizes[3], keys)

    def __repr__(self) -> str:
        return f"DenseMask({' x '.join(map(str, self.allowed.shape))})"
