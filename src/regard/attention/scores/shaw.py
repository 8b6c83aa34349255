"""A key is its content and where it stands from here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.scores.dot import Dot
from regard.attention.scores.score import LearnedScore, Score
from regard.config.ranges import COUNT
from regard.errors import expect
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Shaw(Score):
    """query · (key + table[distance]), over √width; distances past the reach share an end: Shaw et al. 2018, eq. 5.

    `table[h, reach + d]` belongs to a key that stands d positions after the query.
    """

    table: Float[Tensor, "heads distances width"]  # distances = 2 * reach + 1
    scale: float | None = None

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        query = query * Dot(self.scale).factor(key.shape[-1])
        reach = self.table.shape[1] // 2
        ahead = (columns - rows[:, None]).clamp(-reach, reach) + reach
        toward = query @ self.table.transpose(-1, -2).to(query.dtype)  # (batch, heads, rows, distances)
        return query @ key.transpose(-1, -2) + toward.gather(-1, ahead.expand(*toward.shape[:2], *ahead.shape))

    def heads(self, heads: Tensor | slice) -> "Shaw":
        return Shaw(self.table[heads], self.scale)

    def check(self, query: torch.Size, key: torch.Size) -> None:
        super().check(query, key)
        expect("Shaw", "heads", len(self.table), query[1])
        expect("Shaw", "numbers in each vector", self.table.shape[2], key[-1])


class LearnedShaw(LearnedScore):
    """Learns one vector per head and clipped distance."""

    knows_positions = True
    is_relative = True
    example_settings: ClassVar[Mapping[str, object]] = {"reach": 2}

    table: nn.Parameter

    def __init__(self, heads: int, width: int, reach: Annotated[int, COUNT] = 16) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(heads, 2 * reach + 1, width))
        nn.init.xavier_uniform_(self.table)

    def score(self, queries: int, keys: int) -> Score:
        return Shaw(self.table)
