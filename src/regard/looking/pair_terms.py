"""What a score is made of beside one query and one key: vectors of their distance, and what bends the sum.

A new score that can be taken apart is a function and a line in PAIR_TERMS.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.attention import Dot, Pattern
from regard.attention.scores import Disentangled, SoftCap, XLScore
from regard.errors import RegardError


@dataclass(frozen=True, eq=False)
class PairTerms:
    """The score of a pair is ((query + toward_key) · key + (query + toward_distance) · distance) times a scale.

    `cap` bends that sum, which then counts as the factor that it is. `is_distance`: what is compared with the key
    belongs to the distance, too.
    """

    scale: float
    toward_key: Tensor | None = None
    toward_distance: Tensor | None = None
    distance: Tensor | None = None
    is_distance: bool = False
    cap: float | None = None

    def bend(self, score: float) -> float:
        """What the sum of all parts is multiplied by."""
        return 1.0 if self.cap is None or not score else self.cap * math.tanh(score / self.cap) / score


def pair_terms(pattern: Pattern, head: int, query: int, key: int, layer: str) -> PairTerms:
    """The terms of one pair of a layer's pattern."""
    make = PAIR_TERMS.get(type(pattern.score))
    if make is None or not pattern.key.shape[-1]:
        raise RegardError(f"{layer}: scores that are sums of products expected, got {pattern.score!r}")
    rows, columns = pattern.indices(slice(query, query + 1), slice(key, key + 1))
    return make(pattern.score, head, int(rows[0] - columns[0]), pattern.key.shape[-1])


def dot_terms(score: Dot, head: int, behind: int, width: int) -> PairTerms:
    return PairTerms(float(score.factor(width)))


def capped_terms(score: SoftCap, head: int, behind: int, width: int) -> PairTerms:
    return PairTerms(float(Dot(score.scale).factor(width)), cap=score.cap)


def xl_terms(score: XLScore, head: int, behind: int, width: int) -> PairTerms:
    table = score.distances[min(head, len(score.distances) - 1)]
    wave = table[min(max(behind + score.zero, 0), len(table) - 1)].double()
    distance = wave if score.project is None else wave @ score.project[head].double()
    scale = float(Dot(score.scale).factor(width))
    return PairTerms(scale, score.u[head].double(), score.v[head].double(), distance)


def disentangled_terms(score: Disentangled, head: int, behind: int, width: int) -> PairTerms:
    reach = len(score.bucket) // 2
    bucket = int(score.bucket[min(max(behind, -reach), reach) + reach])
    toward_key, distance = (table[head, bucket].double() for table in (score.query_distance, score.key_distance))
    return PairTerms(1 / math.sqrt(3 * width), toward_key, torch.zeros_like(distance), distance, is_distance=True)


PAIR_TERMS: dict[type, Callable[[Any, int, int, int], PairTerms]] = {
    Dot: dot_terms,
    SoftCap: capped_terms,
    XLScore: xl_terms,
    Disentangled: disentangled_terms,
}
"""Scores that can be taken apart, and how: by head, how far the key stands behind, and the width of a head."""
