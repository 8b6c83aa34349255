"""A similarity that factors, so that nobody has to compare every pair."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch.nn.functional as F
from torch import Tensor

from regard.attention.normalisers import Normaliser, SumNormaliser
from regard.attention.scores.score import LearnedScore, Score
from regard.errors import lookup
from regard.shapes import Columns, Keys, Queries, Rows


def elu_plus_one(x: Tensor) -> Tensor:
    return F.elu(x) + 1


FEATURES: dict[str, Callable[[Tensor], Tensor]] = {
    "elu": elu_plus_one,
    "relu": F.relu,
    "softplus": F.softplus,
}


@dataclass(frozen=True)
class Kernel(Score):
    """feature(query) · feature(key), positive, divided by its sum: Katharopoulos et al. 2020, 3.2."""

    feature: Callable[[Tensor], Tensor] = elu_plus_one
    normaliser: ClassVar[Normaliser] = SumNormaliser()

    def tile(self, query: Queries, key: Keys, rows: Rows, columns: Columns) -> Tensor:
        return self.feature(query) @ self.feature(key).transpose(-1, -2)


class KernelFeatures(LearnedScore):
    """Nothing to learn: a named feature map."""

    feature: Callable[[Tensor], Tensor]

    def __init__(self, heads: int, width: int, feature: str = "elu") -> None:
        super().__init__()
        self.feature = lookup(FEATURES, feature, "feature map")

    def score(self, queries: int, keys: int) -> Score:
        return Kernel(self.feature)
