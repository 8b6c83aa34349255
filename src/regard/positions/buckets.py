"""A learned number per distance, near ones apart, far ones together."""

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar

import torch
from torch import Tensor, nn

from regard.attention import BucketBias
from regard.config.ranges import BUCKETS, HEADS
from regard.errors import ShapeError
from regard.positions.position import Position


class RelativeBuckets(Position):
    """One learned number per head and bucket of distances: Raffel et al. 2020, 2.1.

    Half of the buckets hold one distance each, the rest grow by a ratio up to `reach`, past which all are one.
    Looking both ways, half of the buckets are for keys after the query; otherwise those share bucket 0.
    """

    example_settings: ClassVar[Mapping[str, object]] = {"buckets": 8, "reach": 6}
    bucket: Tensor
    table: nn.Embedding

    def __init__(
        self,
        heads: Annotated[int, HEADS],
        buckets: Annotated[int, BUCKETS] = 32,
        reach: Annotated[int, BUCKETS] = 128,
        both_ways: bool = True,
    ) -> None:
        super().__init__()
        check(buckets, reach, both_ways)
        self.table = nn.Embedding(buckets, heads)
        ahead = torch.arange(-reach, reach + 1)
        self.register_buffer("bucket", bucket_of(ahead, buckets, reach, both_ways), persistent=False)

    def bias(self, heads: Tensor | None = None) -> BucketBias:
        line = self.table.weight[self.bucket].T
        return BucketBias(line if heads is None else line[heads])


def check(buckets: int, reach: int, both_ways: bool) -> None:
    """Raise ShapeError unless there are buckets of one distance each way, and distances left for the others."""
    fewest = 4 if both_ways else 2
    if buckets < fewest:
        raise ShapeError(f"at least {fewest} buckets expected, got {buckets}")
    single = buckets // fewest
    if reach <= single:
        raise ShapeError(f"{buckets} buckets are single up to {single}: a larger reach expected, got {reach}")


def bucket_of(ahead: Tensor, buckets: int, reach: int, both_ways: bool) -> Tensor:
    """The bucket of a key that stands so many positions after the query."""
    first = torch.zeros_like(ahead)
    if both_ways:
        buckets //= 2
        first = (ahead > 0).long() * buckets
        distance = ahead.abs()
    else:
        distance = (-ahead).clamp(min=0)
    single = buckets // 2
    ratio = torch.log(distance.clamp(min=1).float() / single) / math.log(reach / single)
    wide = (single + (ratio * (buckets - single)).long()).clamp(max=buckets - 1)
    return first + torch.where(distance < single, distance, wide)
