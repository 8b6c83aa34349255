"""The dot product, and the scores that become one."""

import math
from dataclasses import dataclass
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention.scores.score import LearnedScore, Score, project_heads
from regard.config.ranges import SCALE, SHARPNESS, WIDTH
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True)
class Dot(Score):
    """The dot product times `scale`; 1/√(key width) unless given: Vaswani et al. 2017, 3.2.1."""

    scale: float | None = None

    def factor(self, key_width: int) -> float:
        return 1 / math.sqrt(max(key_width, 1)) if self.scale is None else self.scale

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        return (query * self.factor(key.shape[-1])) @ key.transpose(-1, -2)


class ScaledDot(LearnedScore):
    """Nothing to learn: the dot product over √(width)."""

    def __init__(self, heads: int, width: int, scale: Annotated[float, SCALE] | None = None) -> None:
        super().__init__()
        self.scale = scale

    def score(self, queries: int, keys: int) -> Score:
        return Dot(self.scale)


class Cosine(LearnedScore):
    """The angle alone: vectors of length 1, times a learned sharpness per head: Henry et al. 2020."""

    inverse_temperature: nn.Parameter

    def __init__(self, heads: int, width: int, inverse_temperature: Annotated[float, SHARPNESS] = 10.0) -> None:
        super().__init__()
        self.inverse_temperature = nn.Parameter(torch.full((heads,), inverse_temperature))

    def query(self, query: Tensor) -> Tensor:
        return F.normalize(query, dim=-1) * self.inverse_temperature[:, None, None]

    def key(self, key: Tensor) -> Tensor:
        return F.normalize(key, dim=-1)

    def score(self, queries: int, keys: int) -> Score:
        return Dot(1.0)


class LearnedTemperature(LearnedScore):
    """The scaled dot product with a learned temperature per head, 1 at the start."""

    log_temperature: nn.Parameter

    def __init__(self, heads: int, width: int) -> None:
        super().__init__()
        self.log_temperature = nn.Parameter(torch.zeros(heads))

    def query(self, query: Tensor) -> Tensor:
        return query / self.log_temperature.exp()[:, None, None]

    def score(self, queries: int, keys: int) -> Score:
        return Dot()


class Bilinear(LearnedScore):
    """A learned matrix between query and key, Luong's *general*: Luong et al. 2015, 3.1."""

    weight: nn.Parameter

    def __init__(self, heads: int, width: int, key_width: Annotated[int, WIDTH] | None = None) -> None:
        super().__init__()
        key_width = width if key_width is None else key_width
        self.weight = nn.Parameter(torch.empty(heads, width, key_width))
        nn.init.xavier_uniform_(self.weight)

    def query(self, query: Tensor) -> Tensor:
        return project_heads(query, self.weight)

    def score(self, queries: int, keys: int) -> Score:
        return Dot(1.0)
