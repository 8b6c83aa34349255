"""Rotary positions for texts that are longer than those of the training."""

from dataclasses import dataclass
from typing import Annotated

from regard.config.ranges import POSITIONS, ROPE_FACTOR
from regard.config.value_types import check_settings
from regard.errors import ShapeError


@dataclass(frozen=True)
class RopeScaling:
    """Slower turning, so that texts `factor` times as long as those of the training fit: Chen et al. 2023.

    With `length`, that of the training texts, only slow pairs are stretched: those that turn fewer than `low` times
    over a text wholly, those that turn more than `high` times not at all: Llama 3.1, 2024.
    """

    factor: Annotated[float, ROPE_FACTOR]
    length: Annotated[int, POSITIONS] | None = None
    low: Annotated[float, ROPE_FACTOR] = 1.0
    high: Annotated[float, ROPE_FACTOR] = 4.0

    def __post_init__(self) -> None:
        check_settings(RopeScaling, vars(self), "rope scaling")
        if self.low >= self.high:
            raise ShapeError(f"a low end below the high one expected, got {self.low} and {self.high}")
