"""A query that knows where to look, not for what."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.scores.score import LearnedScore, Score
from regard.config.ranges import POSITIONS
from regard.errors import ShapeError, expect
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Location(Score):
    """query · table[position of the key]; the key's content plays no part: Luong et al. 2015, eq. 8.

    Positions are counted from the first key, padding included: pad on the right.
    """

    table: Float[Tensor, "heads positions width"]

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        return query @ self.table[:, columns].transpose(-1, -2).to(query.dtype)

    def heads(self, heads: Tensor | slice) -> "Location":
        return Location(self.table[heads])

    def check(self, query: torch.Size, key: torch.Size) -> None:
        expect("Location", "heads", len(self.table), query[1])
        expect("Location", "numbers in each vector", self.table.shape[2], query[-1])
        if key[2] > self.table.shape[1]:
            raise ShapeError(f"Location knows {self.table.shape[1]} positions, got {key[2]} keys")


class LearnedLocation(LearnedScore):
    """Learns one vector per position."""

    knows_positions = True
    example_settings: ClassVar[Mapping[str, object]] = {"positions": 24}

    table: nn.Parameter

    def __init__(self, heads: int, width: int, positions: Annotated[int, POSITIONS] = 512) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(heads, positions, width))
        nn.init.xavier_uniform_(self.table)

    def score(self, queries: int, keys: int) -> Score:
        return Location(self.table)
