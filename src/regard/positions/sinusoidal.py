"""Waves of many lengths, added to the words."""

import math
from typing import Annotated, Literal

import torch
from torch import Tensor

from regard.config.ranges import COUNT, WIDTH
from regard.errors import ShapeError, expect
from regard.positions.position import Position
from regard.shapes import Positions, Stream

Layout = Literal["neighbours", "halves"]


class Sinusoidal(Position):
    """sin and cos of the position at rates from 1 to 1/10000: Vaswani et al. 2017, 3.5.

    The paper sets sine and cosine of one rate side by side (`neighbours`); Marian and tensor2tensor put all sines
    before all cosines (`halves`). `steps` is the number of rates from 1 to 1/10000: width / 2 in the paper,
    width / 2 - 1 in tensor2tensor. The first token stands at position `start`.
    """

    is_absolute = True

    width: int
    start: int
    steps: float

    def __init__(
        self,
        width: Annotated[int, WIDTH],
        layout: Layout = "neighbours",
        steps: Annotated[float, WIDTH] | None = None,
        start: Annotated[int, COUNT] = 0,
    ) -> None:
        super().__init__()
        if layout not in ("neighbours", "halves"):
            raise ShapeError(f"sinusoids are laid out as 'neighbours' or 'halves', got {layout!r}")
        self.layout: Layout = layout
        self.width, self.start = width, start
        self.steps = width / 2 if steps is None else steps

    def embed(self, x: Stream, positions: Positions) -> Stream:
        expect("the stream", "numbers in each vector", x.shape[-1], self.width)
        return x + waves(positions + self.start, self.width, self.steps, self.layout).to(x.dtype)


def waves(positions: Tensor, width: int, steps: float, layout: Layout) -> Tensor:
    """One vector of sines and cosines for every position: (…, width)."""
    # An angle of hundreds in float32 is off by more than a tolerance of 1e-5; Apple's GPUs have nothing finer.
    fine = torch.float32 if positions.device.type == "mps" else torch.float64
    rates = torch.arange((width + 1) // 2, device=positions.device, dtype=fine) * (-math.log(10000) / max(steps, 1))
    angles = positions[..., None] * rates.exp()
    if layout == "halves":
        return torch.cat([angles.sin(), angles.cos()[..., : width // 2]], -1)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)[..., :width]
