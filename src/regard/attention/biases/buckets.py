"""A learned number per head and distance."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.biases.bias import Bias
from regard.errors import expect
from regard.shapes import Columns, Rows, Tile


@dataclass(frozen=True, eq=False, repr=False)
class BucketBias(Bias):
    """One number per head and distance, the same for all distances past the last: Raffel et al. 2020.

    `line[h, reach + d]` is what head h adds for a key that stands d positions after the query.
    """

    line: Float[Tensor, "heads distances"]  # distances = 2 * reach + 1

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "BucketBias":
        """Keys up to three positions before the query are favoured, those after it are not."""
        return cls(torch.arange(heads)[:, None] + torch.tensor([0.0, 1, 2, 3, -1, -2, -3]))

    def tile(self, rows: Rows, columns: Columns) -> Tile:
        reach = self.line.shape[1] // 2
        ahead = (columns - rows[:, None]).clamp(-reach, reach)
        return self.line[None, :, ahead + reach]

    def heads(self, heads: Tensor | slice) -> "BucketBias":
        return BucketBias(self.line[heads])

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        expect("BucketBias", "heads", len(self.line), heads)
