"""Queries and keys turned by an angle that grows with their place."""

from typing import Literal

import torch

from regard.errors import ShapeError, expect
from regard.positions.position import Position
from regard.shapes import Heads, TokenPlaces

Pairing = Literal["neighbours", "halves"]


class Rotary(Position):
    """Pairs of numbers turned by place times rate, so that a dot product feels only the distance: Su et al. 2021.

    The paper pairs neighbours; Llama's checkpoints and GPT-NeoX pair the first half with the second (`halves`).
    """

    def __init__(self, width: int, base: float = 10000.0, pairing: Pairing = "halves") -> None:
        super().__init__()
        if width % 2:
            raise ShapeError(f"rotary positions turn pairs: an even head width expected, got {width}")
        if pairing not in ("neighbours", "halves"):
            raise ShapeError(f"rotary positions pair 'neighbours' or 'halves', got {pairing!r}")
        self.width, self.base, self.pairing = width, base, pairing

    def turn(self, x: Heads, places: TokenPlaces) -> Heads:
        expect("a head", "numbers in each vector", x.shape[-1], self.width)
        even = torch.arange(0, self.width, 2, device=x.device)
        angles = places[:, None, :, None] * self.base ** (-even / self.width)  # (batch or 1, 1, length, width / 2)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        if self.pairing == "halves":
            left, right = x.chunk(2, -1)
            return torch.cat([left * cos - right * sin, right * cos + left * sin], -1)
        left, right = x[..., 0::2], x[..., 1::2]
        return torch.stack([left * cos - right * sin, right * cos + left * sin], -1).flatten(-2)
