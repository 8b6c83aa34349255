"""A vector for every distance, which each layer compares with its queries and keys."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import ShapeError


@dataclass(frozen=True, eq=False)
class Distances:
    """Vectors of buckets of distances, and the bucket of every distance up to a reach, before and behind."""

    vectors: Float[Tensor, "buckets width"]
    bucket: Int[Tensor, "distances"]


class DistanceVectors(nn.Module):
    """One learned vector per bucket of distances, shared by all layers: He et al. 2021, 3.1 and A.8.

    `buckets` are those of one direction: half of them hold one distance each, the rest grow by a ratio up to `reach`.
    """

    table: nn.Embedding
    norm: nn.Module | None
    buckets: int
    reach: int

    def __init__(self, buckets: int, reach: int, width: int, norm: nn.Module | None = None) -> None:
        super().__init__()
        if buckets < 4 or reach <= buckets // 2 + 1:
            raise ShapeError(f"4 buckets or more and a longer reach than half of them expected, got {buckets}, {reach}")
        self.table = nn.Embedding(2 * buckets, width)
        self.norm = norm
        self.buckets, self.reach = buckets, reach

    def forward(self) -> Distances:
        vectors = self.table.weight if self.norm is None else self.norm(self.table.weight)
        distances = torch.arange(-2 * self.reach, 2 * self.reach + 1, device=vectors.device)
        return Distances(vectors, bucket_of(distances, self.buckets, self.reach))


def bucket_of(distances: Tensor, buckets: int, reach: int) -> Tensor:
    """The bucket of a key that stands so many positions before the query, or behind it where that is negative."""
    single = buckets // 2
    far = distances.abs().clamp(min=single)
    growth = torch.log(far / single) / torch.log(torch.tensor((reach - 1) / single)) * (single - 1)
    grown = (torch.ceil(growth) + single) * distances.sign()
    bucket = torch.where(distances.abs() <= single, distances.to(grown.dtype), grown).long()
    return (bucket + buckets).clamp(0, 2 * buckets - 1)
