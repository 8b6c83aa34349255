"""A dictionary that never misses."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from regard.attention.attend import attend
from regard.attention.pattern import Pattern
from regard.attention.scores import Dot, Score
from regard.errors import ShapeError

Vectors = Tensor | Sequence[float | Sequence[float]]
"""One vector or several; a tensor of them, or plain numbers."""


class SoftDictionary:
    """A mapping that returns every value, to the extent that its key matches what is asked for."""

    keys: Tensor
    values: Tensor
    score: Score

    def __init__(self, keys: Tensor, values: Tensor, score: Score) -> None:
        self.keys, self.values, self.score = keys, values, score

    def __getitem__(self, query: Vectors) -> Tensor:
        """What is found for one query (width) or several (queries, width)."""
        queries = self._query(query)
        values = attend(*self._heads(queries), self.values[None, None], score=self.score)[0, 0]
        return values[0] if queries.ndim == 1 else values

    def weights(self, query: Vectors) -> Tensor:
        """To what extent each key matches."""
        queries = self._query(query)
        matches = Pattern(*self._heads(queries), score=self.score)[0, 0]
        return matches[0] if queries.ndim == 1 else matches

    def __len__(self) -> int:
        return len(self.keys)

    def _query(self, query: Vectors) -> Tensor:
        queries = torch.as_tensor(query, dtype=self.keys.dtype, device=self.keys.device)
        if queries.ndim not in (1, 2) or queries.shape[-1] != self.keys.shape[1]:
            raise ShapeError(f"a query has {self.keys.shape[1]} numbers as the keys have, got {tuple(queries.shape)}")
        return queries

    def _heads(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        return queries.reshape(1, 1, -1, queries.shape[-1]), self.keys[None, None]


def soft_dictionary(
    keys: Mapping[Sequence[float], float | Sequence[float]] | Vectors,
    values: Vectors | None = None,
    *,
    score: Score = Dot(1.0),
) -> SoftDictionary:
    """A soft dictionary of keys (n, width) and values (n, width), or of a dict from vector to vector.

    `Dot(scale)` says how sharp the look-up is: a large scale makes an ordinary dictionary.
    """
    if isinstance(keys, Mapping):
        keys, values = list(keys.keys()), list(keys.values())
    keys = torch.as_tensor(keys, dtype=None if isinstance(keys, Tensor) else torch.float32)
    values = torch.as_tensor(values, dtype=keys.dtype)
    values = values[:, None] if values.ndim == 1 else values
    if keys.ndim != 2 or values.ndim != 2 or len(keys) != len(values):
        raise ShapeError(
            f"as many keys as values, each a vector, expected, got {tuple(keys.shape)} and {tuple(values.shape)}"
        )
    return SoftDictionary(keys, values, score)
