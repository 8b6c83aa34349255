"""Queries and keys turned by an angle that grows with their position."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from regard.config.ranges import ROPE_BASE, WIDTH
from regard.config.rope_scaling import RopeScaling
from regard.errors import ShapeError, expect
from regard.positions.position import Position
from regard.shapes import Heads, Positions

Pairing = Literal["neighbours", "halves"]


class Rotary(Position):
    """Pairs of numbers turned by position times rate, so that a dot product feels only the distance: Su et al. 2021.

    The paper pairs neighbours; Llama's checkpoints and GPT-NeoX pair the first half with the second (`halves`).
    With `rotary_width` only so many numbers of a head are turned, the first ones: Black et al. 2022.
    """

    width: int
    rotary_width: int
    base: float
    scaling: RopeScaling | None

    def __init__(
        self,
        head_width: Annotated[int, WIDTH],
        base: Annotated[float, ROPE_BASE] = 10000.0,
        pairing: Pairing = "halves",
        scaling: RopeScaling | Mapping[str, Any] | None = None,
        rotary_width: Annotated[int, WIDTH] | None = None,
    ) -> None:
        super().__init__()
        rotary_width = head_width if rotary_width is None else rotary_width
        if rotary_width % 2:
            raise ShapeError(f"rotary positions turn pairs: an even head width expected, got {rotary_width}")
        if rotary_width > head_width:
            raise ShapeError(f"a head has {head_width} numbers: at most as many are turned, got {rotary_width}")
        if pairing not in ("neighbours", "halves"):
            raise ShapeError(f"rotary positions pair 'neighbours' or 'halves', got {pairing!r}")
        if isinstance(scaling, Mapping):  # as recipes and config.json have it
            known = [field.name for field in fields(RopeScaling)]
            if "factor" not in scaling or not scaling.keys() <= {*known}:
                raise ShapeError(f"scaling has a factor, and may have {', '.join(known[1:])}, got {', '.join(scaling)}")
            scaling = RopeScaling(**scaling)
        self.width, self.rotary_width = head_width, rotary_width
        self.base, self.pairing, self.scaling = base, pairing, scaling

    def rotate(self, x: Heads, positions: Positions) -> Heads:
        expect("a head", "numbers in each vector", x.shape[-1], self.width)
        if self.rotary_width < self.width:
            turned, unturned = x.split([self.rotary_width, self.width - self.rotary_width], -1)
            return torch.cat([self._turn(turned, positions), unturned], -1)
        return self._turn(x, positions)

    def _turn(self, x: Heads, positions: Positions) -> Heads:
        angles = positions[:, None, :, None] * self.rates(x.device)  # (batch or 1, 1, length, rotary width / 2)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        if self.pairing == "halves":
            left, right = x.chunk(2, -1)
            return torch.cat([left * cos - right * sin, right * cos + left * sin], -1)
        left, right = x[..., 0::2], x[..., 1::2]
        return torch.stack([left * cos - right * sin, right * cos + left * sin], -1).flatten(-2)

    def rates(self, device: torch.device) -> Tensor:
        """By how much each pair turns from one position to the next: (rotary width / 2,)."""
        steps = torch.arange(0, self.rotary_width, 2, device=device, dtype=torch.float32) / self.rotary_width
        rates = 1.0 / self.base**steps
        return rates if self.scaling is None else scaled_rates(self.scaling, rates)


def scaled_rates(scaling: RopeScaling, rates: Tensor) -> Tensor:
    """How far pairs turn from one position to the next, where texts are stretched."""
    if scaling.length is None:
        return rates / scaling.factor
    turns = scaling.length * rates / (2 * math.pi)
    unscaled = ((turns - scaling.low) / (scaling.high - scaling.low)).clamp(0, 1)
    return rates * (unscaled + (1 - unscaled) / scaling.factor)
