"""Scores that cannot grow without limit."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from torch import Tensor

from regard.attention.scores.score import LearnedScore, Score
from regard.config.ranges import SCALE, SHARPNESS
from regard.errors import ShapeError
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True)
class SoftCap(Score):
    """The scaled dot product, bent so that it stays between -cap and cap: Gemma Team 2024, 2."""

    cap: float
    scale: float | None = None

    def __post_init__(self) -> None:
        if not self.cap > 0:
            raise ShapeError(f"scores are capped at a number above 0, got {self.cap}")

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        scale = 1 / math.sqrt(max(key.shape[-1], 1)) if self.scale is None else self.scale
        return torch.tanh((query * (scale / self.cap)) @ key.transpose(-1, -2)) * self.cap


class ScaledSoftCap(LearnedScore):
    """Nothing to learn: the dot product over √(width), or times `scale`, capped."""

    example_settings: ClassVar[Mapping[str, object]] = {"cap": 2.0}

    cap: float
    scale: float | None

    def __init__(
        self,
        heads: int,
        width: int,
        cap: Annotated[float, SHARPNESS] = 50.0,
        scale: Annotated[float, SCALE] | None = None,
    ) -> None:
        super().__init__()
        self.cap, self.scale = cap, scale

    def score(self, queries: int, keys: int) -> Score:
        return SoftCap(self.cap, self.scale)
