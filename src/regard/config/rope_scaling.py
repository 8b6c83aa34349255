"""Rotary positions for texts that are longer than those of the training."""

from dataclasses import dataclass

from regard.errors import ShapeError


@dataclass(frozen=True)
class RopeScaling:
    """Slower turning, so that texts `factor` times as long as those of the training fit: Chen et al. 2023.

    With `length`, that of the training texts, only slow pairs are stretched: those that turn fewer than `low` times
    over a text wholly, those that turn more than `high` times not at all: Llama 3.1, 2024.
    """

    factor: float
    length: int | None = None
    low: float = 1.0
    high: float = 4.0

    def __post_init__(self) -> None:
        if self.factor <= 0 or not 0 < self.low < self.high or (self.length is not None and self.length < 1):
            raise ShapeError(f"a factor above 0, a length from 1 and 0 < low < high expected, got {self}")
