"""How fast this machine multiplies matrices of float32."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

SIDES = (1024, 2048, 3072)
SECONDS = 0.3  # that a product is repeated for: one alone is shorter than the machine's moods


@dataclass(frozen=True)
class Product:
    """Products of two square matrices, one after the other."""

    side: int
    how: str
    once: Callable[[], torch.Tensor]
    times: int = 1

    @property
    def work(self) -> float:
        """Floating-point operations."""
        return 2.0 * self.side**3 * self.times

    def multiply(self) -> None:
        for _ in range(self.times):
            self.once()


def products(side: int) -> list[Product]:
    """The library that torch asks, and oneDNN, which it has on board."""
    left, right, room = (torch.rand(side, side) for _ in range(3))
    found = [Product(side, "mm", lambda: torch.mm(left, right, out=room))]
    if torch.backends.mkldnn.is_available():
        asked = torch.ops.mkldnn._linear_pointwise
        found.append(Product(side, "oneDNN", lambda: asked(left, right, None, "none", [], "")))
    return found


def fastest(sides: tuple[int, ...] = SIDES, tries: int = 3) -> Product:
    """The product that this machine does the most operations a second in, as often as fills SECONDS."""
    rates: dict[float, Product] = {}
    for candidate in (one for side in sides for one in products(side)):
        candidate.multiply()
        for _ in range(tries):
            start = time.perf_counter()
            candidate.multiply()
            rates[candidate.work / (time.perf_counter() - start)] = candidate
    best = max(rates)
    chosen = rates[best]
    return Product(chosen.side, chosen.how, chosen.once, max(1, round(SECONDS * best / chosen.work)))
