"""Near is better: a penalty on distance, and nothing to learn."""

from typing import Annotated

import torch
from torch import Tensor

from regard.attention import AlibiBias
from regard.config.ranges import HEADS
from regard.config.slopes import alibi_slopes
from regard.errors import ShapeError
from regard.positions.position import Position


class Alibi(Position):
    """A linear penalty on distance, steeper in some heads: Press et al. 2022.

    For a number of heads that is no power of two, slopes of the next power fill the gaps, as the authors do.
    """

    slopes: Tensor

    def __init__(self, heads: Annotated[int, HEADS]) -> None:
        super().__init__()
        if heads < 1:
            raise ShapeError(f"at least one head expected, got {heads}")
        self.register_buffer("slopes", torch.tensor(alibi_slopes(heads)), persistent=False)

    def bias(self, heads: Tensor | None = None) -> AlibiBias:
        return AlibiBias(self.slopes if heads is None else self.slopes[heads])
