"""How fast this machine multiplies matrices of float32."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

SIDES = (1024, 2048, 3072)


@dataclass(frozen=True)
class Product:
    """One product of two square matrices."""

    side: int
    multiply: Callable[[], torch.Tensor]

    @property
    def work(self) -> float:
        """Floating-point operations."""
        return 2.0 * self.side**3


def product(side: int) -> Product:
    left, right, room = (torch.rand(side, side) for _ in range(3))
    return Product(side, lambda: torch.mm(left, right, out=room))


def fastest(sides: tuple[int, ...] = SIDES, tries: int = 3) -> Product:
    """The product that this machine does the most operations a second in."""
    rates: dict[float, Product] = {}
    for candidate in map(product, sides):
        candidate.multiply()
        for _ in range(tries):
            start = time.perf_counter()
            candidate.multiply()
            rates[candidate.work / (time.perf_counter() - start)] = candidate
    return rates[max(rates)]
