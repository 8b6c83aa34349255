"""What compares a query with a key, and the modules in which comparing is learned."""

from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from regard.attention.normalisers import Normaliser, Softmax
from regard.attention.values import describe
from regard.errors import expect
from regard.shapes import Columns, Keys, Queries, Rows


class Score:
    """How well keys match queries: a small frozen value that answers for a tile."""

    normaliser: ClassVar[Normaliser] = Softmax()

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        """(batch, heads, rows, columns), for queries at these positions and keys at those, one key head per query head.

        A new tensor each time: whoever asked may write into it.
        """
        raise NotImplementedError

    @property
    def focuses(self) -> bool:
        """Whether weights are multiplied by something once they are normalised: by `focus`."""
        return False

    def focus(self, query: Queries, key: Keys) -> Tensor:
        """What the weights of these queries and keys are multiplied by, where the score focuses."""
        raise NotImplementedError

    def heads(self, heads: Tensor | slice) -> "Score":
        """The score of some heads."""
        return self

    @property
    def cost(self) -> int:
        """How many numbers a pair of query and key takes while it is compared."""
        return 1

    def check(self, query: torch.Size, key: torch.Size) -> None:
        """Raise ShapeError unless the score can compare queries and keys of these sizes."""
        expect("key", "numbers in each vector", key[-1], query[-1])

    def __repr__(self) -> str:
        return describe(self)


class LearnedScore(nn.Module):
    """Whatever learns in a comparison: projects queries and keys, then hands out the Score.

    Queries and keys come as (batch, heads, length, width). Keys are projected once per source.
    """

    knows_positions: ClassVar[bool] = False
    """Whether it counts where queries and keys stand: texts are more than sets to it."""
    is_relative: ClassVar[bool] = False
    """Whether the distance between query and key counts, so that both have to stand in one text."""
    example_settings: ClassVar[Mapping[str, object]] = {}
    """What a recipe would say of a small example."""

    @classmethod
    def example(cls, heads: int = 2, width: int = 4) -> "LearnedScore":
        """A small one, for tests and pages."""
        return cls(heads, width, **cls.example_settings)

    def query(self, query: Tensor) -> Tensor:
        return query

    def key(self, key: Tensor) -> Tensor:
        return key

    def score(self, queries: int, keys: int) -> Score:
        """The Score for a call with this many queries and keys."""
        raise NotImplementedError

    def forward(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor, Score]:
        return self.query(query), self.key(key), self.score(query.shape[-2], key.shape[-2])


def project_heads(x: Tensor, weight: Tensor) -> Tensor:
    """Queries or keys through a matrix of each head: one product a head for the whole batch, one for its gradient."""
    return torch.einsum("bhlw,hwv->bhlv", x, weight)
