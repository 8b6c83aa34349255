"""Pairs of a query and a key that are cut: the query looks elsewhere, as if the key were not there."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool
from torch import Tensor

from regard.attention.masks.mask import Mask
from regard.errors import expect
from regard.shapes import Allowed, Columns, Rows


@dataclass(frozen=True, eq=False, repr=False)
class WithoutPairs(Mask):
    """None of these queries looks at any of these keys, in some heads and members of the batch: an attention knock-out.

    Held as lists, not as queries x keys. Positions are those of keys; the last query stands beside the last key.
    """

    queries: Rows
    keys: Columns
    heads: Bool[Tensor, "heads"]
    members: Bool[Tensor, "members"]

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "WithoutPairs":
        """The last query does not look at the first two keys, in the first head."""
        chosen = torch.arange(heads) == 0
        return cls(torch.tensor([keys - 1]), torch.tensor([0, 1]), chosen, torch.ones(batch, dtype=torch.bool))

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        cut = torch.isin(rows, self.queries)[:, None] & torch.isin(columns, self.keys)
        return ~(self.members[:, None, None, None] & self.heads[:, None, None] & cut)

    def part(self, batch: slice, heads: slice) -> "WithoutPairs":
        some = self.members if len(self.members) == 1 else self.members[batch]
        return WithoutPairs(self.queries, self.keys, self.heads if len(self.heads) == 1 else self.heads[heads], some)

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        expect("WithoutPairs", "members", len(self.members), batch, 1)
        expect("WithoutPairs", "heads", len(self.heads), heads, 1)

    def __repr__(self) -> str:
        return f"WithoutPairs({len(self.queries)} queries x {len(self.keys)} keys)"
