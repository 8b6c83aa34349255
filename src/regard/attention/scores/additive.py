"""A small network that scores each pair."""

from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.scores.score import LearnedScore, Score, project_heads
from regard.config.ranges import WIDTH
from regard.errors import expect
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Additive(Score):
    """vector · tanh(query + key): Bahdanau et al. 2015, A.1.2; Luong's *concat*."""

    vector: Float[Tensor, "heads width"]

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        pairs = torch.tanh(query[:, :, :, None] + key[:, :, None])  # (batch, heads, rows, columns, width)
        vector = self.vector.to(pairs.dtype)
        return pairs @ vector[0] if len(vector) == 1 else (pairs @ vector[:, None, :, None]).squeeze(-1)

    def heads(self, heads: Tensor | slice) -> "Additive":
        return Additive(self.vector[heads])

    @property
    def cost(self) -> int:
        return self.vector.shape[1]

    def check(self, query: torch.Size, key: torch.Size) -> None:
        super().check(query, key)
        expect("Additive", "heads", len(self.vector), query[1])
        expect("Additive", "numbers in each vector", self.vector.shape[1], key[-1])


class LearnedAdditive(LearnedScore):
    """Projects both sides into one space and learns the vector that reads the match."""

    query_weight: nn.Parameter
    key_weight: nn.Parameter
    vector: nn.Parameter

    def __init__(
        self,
        heads: int,
        width: int,
        key_width: Annotated[int, WIDTH] | None = None,
        score_width: Annotated[int, WIDTH] | None = None,
    ) -> None:
        super().__init__()
        key_width = width if key_width is None else key_width
        score_width = width if score_width is None else score_width
        self.query_weight = nn.Parameter(torch.empty(heads, width, score_width))
        self.key_weight = nn.Parameter(torch.empty(heads, key_width, score_width))
        self.vector = nn.Parameter(torch.empty(heads, score_width))
        for weight in self.parameters():
            nn.init.xavier_uniform_(weight)

    def query(self, query: Tensor) -> Tensor:
        return project_heads(query, self.query_weight)

    def key(self, key: Tensor) -> Tensor:
        expect("key", "heads", key.shape[1], len(self.key_weight))
        return project_heads(key, self.key_weight)

    def score(self, queries: int, keys: int) -> Score:
        return Additive(self.vector)
