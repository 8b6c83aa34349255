"""A run whose numbers left the range of floats has nothing to show: edits multiply too much, or weights are damaged."""

import math
from collections.abc import Iterable, Mapping

from torch import Tensor

from regard.attention import Pattern
from regard.errors import RegardError
from regard.viewer.run_result import RunResult

REASON = "the edits multiply too much, or the weights of the model are damaged"


def refuse_overflow(result: RunResult, patterns: Mapping[str, Pattern]) -> None:
    """Raise where an answer, or what a layer attended to, is not finite; -inf in a row is a mask."""
    for layer, pattern in patterns.items():
        parts = (pattern.query, pattern.key, pattern.inverse_temperature)
        is_finite = all(part is None or bool(part.isfinite().all()) for part in parts)
        if not is_finite or any(has_overflow(part) for part in pattern.statistics):
            raise RegardError(f"{layer} has scores that are not finite numbers: {REASON}")
    if not all(map(math.isfinite, answer_numbers(result))):
        raise RegardError(f"the answer has scores that are not finite numbers: {REASON}")


def has_overflow(statistic: Tensor) -> bool:
    return bool((statistic.isnan() | statistic.isposinf()).any())


def answer_numbers(result: RunResult) -> Iterable[float]:
    """Every number that an answer is told in."""
    answer = result.answer
    options = [*answer.options, *(option for gap in answer.gaps for option in gap)]
    options += [option for candidate in result.candidates for option in candidate.options]
    yield from (option.probability for option in options)
    yield from answer.vector
    yield from result.probabilities.values()
    yield from (score for score in (answer.score, answer.rank_score) if score is not None)
