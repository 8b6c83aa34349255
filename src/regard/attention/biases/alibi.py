"""A penalty on distance."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.biases.bias import Bias
from regard.errors import expect
from regard.shapes import Columns, Rows, Tile


@dataclass(frozen=True, eq=False, repr=False)
class AlibiBias(Bias):
    """A penalty that grows with distance, steeper in some heads: Press et al. 2022."""

    slopes: Float[Tensor, "heads"]

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "AlibiBias":
        return cls(1 / torch.arange(2.0, heads + 2))

    def tile(self, rows: Rows, columns: Columns) -> Tile:
        distance = (rows[:, None] - columns).abs()
        return -self.slopes[None, :, None, None] * distance

    def heads(self, heads: Tensor | slice) -> "AlibiBias":
        return AlibiBias(self.slopes[heads])

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        expect("AlibiBias", "slopes", len(self.slopes), heads)
