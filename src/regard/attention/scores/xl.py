"""Content and distance, each asked about apart."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.scores.dot import Dot
from regard.attention.scores.score import LearnedScore, Score
from regard.errors import ShapeError, expect
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True, eq=False, repr=False)
class XLScore(Score):
    """(query + u) · key + (query + v) · distance, over √width: Dai et al. 2019, 3.3.

    `distances[h, zero + d]` belongs to a key that stands d positions before the query. With `project`, distances are
    the same for all heads (one of them is held) and each head reads them through a matrix of its own. Keys that stand
    further after the query than the table goes share its first entry.
    """

    u: Float[Tensor, "heads width"]
    v: Float[Tensor, "heads width"]
    distances: Float[Tensor, "_ distances _"]
    zero: int = 0
    scale: float | None = None
    project: Float[Tensor, "heads waves width"] | None = None

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        scale = Dot(self.scale).factor(key.shape[-1])
        content = ((query + self.u.to(query.dtype)[:, None]) * scale) @ key.transpose(-1, -2)
        behind = (rows[:, None] - columns + self.zero).clamp(0, self.distances.shape[1] - 1)
        table = self.distances
        if not torch.compiler.is_compiling() and behind.numel():  # only the distances that occur here
            low, high = behind.aminmax()
            behind, table = behind - low, table[:, int(low) : int(high) + 1]
        position_query = (query + self.v.to(query.dtype)[:, None]) * scale
        if self.project is not None:
            position_query = position_query @ self.project.transpose(-1, -2).to(query.dtype)
        where = position_query @ table.transpose(-1, -2).to(query.dtype)
        return content + where.gather(-1, behind.expand(*where.shape[:2], *behind.shape))

    def heads(self, heads: Tensor | slice) -> "XLScore":
        own = None if self.project is None else self.project[heads]
        distances = self.distances[heads] if own is None else self.distances
        return XLScore(self.u[heads], self.v[heads], distances, self.zero, self.scale, own)

    def check(self, query: torch.Size, key: torch.Size) -> None:
        super().check(query, key)
        expect("XLScore", "heads", len(self.u), query[1])
        expect("XLScore", "numbers in each vector", self.u.shape[1], key[-1])
        if self.distances.shape[1] < self.zero + key[2]:
            raise ShapeError(f"XLScore knows {self.distances.shape[1] - self.zero} distances back, got {key[2]} keys")


class LearnedXL(LearnedScore):
    """Learns u, v and how to read sinusoids of distance, per head."""

    knows_positions = True
    is_relative = True

    u: nn.Parameter
    v: nn.Parameter
    project: nn.Parameter

    def __init__(self, heads: int, width: int) -> None:
        super().__init__()
        self.u = nn.Parameter(torch.zeros(heads, width))
        self.v = nn.Parameter(torch.zeros(heads, width))
        self.project = nn.Parameter(torch.empty(heads, width, width))
        nn.init.xavier_uniform_(self.project)

    def score(self, queries: int, keys: int) -> Score:
        width = self.u.shape[1]
        away = torch.arange(1 - queries, keys, device=self.u.device, dtype=self.u.dtype)
        rates = torch.arange(0, width, 2, device=self.u.device, dtype=self.u.dtype) * (-math.log(10000) / width)
        angles = away[:, None] * rates.exp()
        waves = torch.cat([angles.sin(), angles.cos()], -1)[:, :width]
        return XLScore(self.u, self.v, waves[None], zero=queries - 1, project=self.project)
