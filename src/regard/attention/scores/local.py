"""A look at a neighbourhood that each query chooses for itself."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from regard.attention.scores.score import Score
from regard.errors import ShapeError
from regard.shapes import Columns, Keys, Queries, Rows


@dataclass(frozen=True, eq=False)
class Local(Score):
    """Another score, of keys at most `reach` positions from where a query looks: Luong et al. 2015, 3.2.

    The last number of each query is the position that it looks around, the last number of each key where it stands; the
    inner score compares the rest. With `fades`, weights are multiplied by a Gaussian around it, of a standard
    deviation of half the reach: after the softmax, so that a row sums to less than 1 (eq. 10).
    """

    score: Score
    reach: int
    fades: bool = False

    def __post_init__(self) -> None:
        if self.reach < 1:
            raise ShapeError(f"a local look reaches 1 position or more, got {self.reach}")

    @property
    def focuses(self) -> bool:
        return self.fades

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        scores = self.score.tile(query[..., :-1], key[..., :-1], rows, columns)
        return scores.masked_fill(away(query, key).abs() > self.reach, -torch.inf)

    def focus(self, query: Queries, key: Keys) -> Tensor:
        return torch.exp(-2 * (away(query, key) / self.reach) ** 2)

    def heads(self, heads: Tensor | slice) -> "Local":
        return replace(self, score=self.score.heads(heads))

    @property
    def cost(self) -> int:
        return self.score.cost

    def check(self, query: torch.Size, key: torch.Size) -> None:
        self.score.check(torch.Size([*query[:-1], query[-1] - 1]), torch.Size([*key[:-1], key[-1] - 1]))


def away(query: Queries, key: Keys) -> Tensor:
    """How far each key stands from the position that each query looks around."""
    return key[..., None, :, -1] - query[..., -1:]
