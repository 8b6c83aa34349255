"""Content with content, content with distance, and distance with content."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention.scores.score import Score
from regard.errors import expect
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Disentangled(Score):
    """query · key + query · key_distance + key · query_distance, over √(3 width): He et al. 2021, eq. 4.

    Both tables have a vector for every bucket of distances; `bucket[reach + d]` is that of a key that stands d
    positions before the query, and distances past the reach share an end.
    """

    query_distance: Float[Tensor, "heads buckets width"]
    key_distance: Float[Tensor, "heads buckets width"]
    bucket: Int[Tensor, "distances"]

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        scale = 1 / math.sqrt(3 * max(key.shape[-1], 1))
        reach = len(self.bucket) // 2
        index = self.bucket[(rows[:, None] - columns).clamp(-reach, reach) + reach]
        toward = query @ self.key_distance.transpose(-1, -2).to(query.dtype)  # (batch, heads, rows, buckets)
        back = key @ self.query_distance.transpose(-1, -2).to(key.dtype)  # (batch, heads, columns, buckets)
        toward = toward.gather(-1, index.expand(*toward.shape[:2], *index.shape))
        back = back.gather(-1, index.T.expand(*back.shape[:2], *index.T.shape)).transpose(-1, -2)
        return (query @ key.transpose(-1, -2) + toward + back) * scale

    def heads(self, heads: Tensor | slice) -> "Disentangled":
        return Disentangled(self.query_distance[heads], self.key_distance[heads], self.bucket)

    def check(self, query: torch.Size, key: torch.Size) -> None:
        super().check(query, key)
        expect("Disentangled", "heads", len(self.key_distance), query[1])
