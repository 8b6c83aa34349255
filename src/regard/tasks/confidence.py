"""How sure one may be of a translation: probabilities of its words, and of each sentence that it is no bad one.

What a model says of itself is one sign among several: what it never looked at, lengths that do not fit, words written
again and again, words copied. A `Calibration` weighs them, learned from translations of which somebody knows how good
they are (tasks/evaluation/calibrating.py); a folder has it in generation_config.json, as `confidence`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from regard.errors import RegardError

LOOKED_AT = 0.3  # looks, in all, at a token that counts as covered
RIDGE = 1.0  # against weights that fit the noise; signs are of unit variance
ROUNDS = 50
INTERCEPT = "intercept"


@dataclass(frozen=True)
class WordProbability:
    """A word of a translation, counted between spaces, and how likely it was after those before it; 1 where it was not
    the model that chose it."""

    word: str
    probability: float


@dataclass(frozen=True, eq=False)
class SentenceFacts:
    """What is known of a sentence that was written: log-probabilities of its tokens, the end included; how much each
    token looked at each of the source; tokens and texts of both sides."""

    scores: Sequence[float]
    weights: np.ndarray  # (target, source)
    ids: Sequence[int]
    source: str
    target: str
    is_finished: bool


def mean_score(facts: SentenceFacts) -> float:
    return sum(facts.scores) / max(1, len(facts.scores))


def coverage(facts: SentenceFacts) -> float:
    """The share of source tokens that were looked at."""
    received = facts.weights.sum(0)
    return float((received >= LOOKED_AT).mean()) if len(received) else 1.0


def length_misfit(facts: SentenceFacts) -> float:
    """How far the numbers of words are apart: the square of the logarithm of their ratio."""
    return math.log((len(facts.target.split()) + 1) / (len(facts.source.split()) + 1)) ** 2


def repeats(facts: SentenceFacts) -> float:
    """The share of pairs of tokens that were written before."""
    pairs = list(zip(facts.ids, facts.ids[1:], strict=False))
    return 1 - len(set(pairs)) / len(pairs) if pairs else 0.0


def copies(facts: SentenceFacts) -> float:
    """The share of words that stand in the source, too."""
    words = facts.target.split()
    source = set(facts.source.split())
    return sum(word in source for word in words) / len(words) if words else 0.0


SIGNS: dict[str, Callable[[SentenceFacts], float]] = {
    "mean_score": mean_score,
    "length_misfit": length_misfit,
    "coverage": coverage,
    "copies": copies,
    "repeats": repeats,
    "is_unfinished": lambda facts: float(not facts.is_finished),
}
"""What a calibration may weigh: each is one number of a sentence."""


def signs_of(facts: SentenceFacts) -> dict[str, float]:
    return {name: sign(facts) for name, sign in SIGNS.items()}


@dataclass(frozen=True)
class Calibration:
    """How much each sign counts; `weights` has the "intercept", too. Signs that it does not name count nothing."""

    weights: Mapping[str, float]

    @classmethod
    def read(cls, weights: Mapping[str, object]) -> "Calibration":
        """Weights that somebody else wrote."""
        numbers: dict[str, float] = {}
        for name, weight in weights.items():
            if name != INTERCEPT and name not in SIGNS:
                raise RegardError(f"unknown sign {name!r}: known: {INTERCEPT}, {', '.join(SIGNS)}")
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
                raise RegardError(f"{name} = {weight!r}: a number expected")
            numbers[name] = float(weight)
        return cls(numbers)

    def probability(self, signs: Mapping[str, float]) -> float:
        """That a sentence with these signs is good."""
        total = sum(weight * (1.0 if name == INTERCEPT else signs[name]) for name, weight in self.weights.items())
        return 0.5 * (1 + math.tanh(total / 2))  # the logistic function, without overflow

    @classmethod
    def fit(
        cls, signs: Sequence[Mapping[str, float]], is_good: Sequence[bool], names: Sequence[str] = tuple(SIGNS)
    ) -> "Calibration":
        """Logistic regression of what was good on the signs, by Newton's method, with a little ridge."""
        table = np.array([[row[name] for name in names] for row in signs], dtype=np.float64).reshape(len(signs), -1)
        truth = np.array(is_good, dtype=bool)
        if len(truth) < 2 or truth.all() or not truth.any():
            raise RegardError("a calibration needs good and bad translations to learn from")
        mean, deviation = table.mean(0), table.std(0)
        deviation[deviation == 0] = 1.0
        weights = logistic_regression((table - mean) / deviation, truth)
        slopes = weights[1:] / deviation
        intercept = float(weights[0] - slopes @ mean)
        return cls({INTERCEPT: intercept} | dict(zip(names, slopes.tolist(), strict=True)))


def logistic_regression(table: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """The intercept, then a weight for each column of the table (sentences, signs), given which are good; the
    intercept is free of the ridge."""
    design = np.concatenate([np.ones((len(table), 1)), table], 1)
    ridge = np.diag([0.0] + [RIDGE] * table.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        chance = 0.5 * (1 + np.tanh(design @ weights / 2))
        gradient = design.T @ (truth - chance) - ridge @ weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + ridge + 1e-9 * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if np.abs(step).max() < 1e-10:
            break
    return weights


@dataclass(frozen=True)
class SentenceConfidence:
    """A sentence of a translation; `score` is the probability that it is no bad one, None where nothing was learned of
    that; `coverage` the share of source tokens that were looked at."""

    text: str
    score: float | None
    coverage: float
    signs: Mapping[str, float]


@dataclass(frozen=True)
class Confidence:
    """How sure one may be of a translation: of each of its sentences, and of all: no surer than of the worst."""

    sentences: tuple[SentenceConfidence, ...]

    @property
    def score(self) -> float | None:
        scores = [sentence.score for sentence in self.sentences]
        return min((score for score in scores if score is not None), default=None)

    @property
    def coverage(self) -> float:
        return min((sentence.coverage for sentence in self.sentences), default=1.0)
