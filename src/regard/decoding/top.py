"""The likeliest tokens, and what makes scores of them probabilities."""

import numpy as np

from regard.engine import top as engine_top


def top(logits: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The `count` highest scores of each row, the highest first, their tokens, and the log-sum-exp of the row.

    All float32. Fewer than `count` where the vocabulary is smaller. What is not a number is in the log-sum-exp, too.
    """
    count = min(count, logits.shape[1])
    if (answer := engine_top(logits, count)) is not None:
        return answer
    if count == 1:
        ids = logits.argmax(1)[:, None]
    else:
        ids = np.argpartition(-logits, count - 1, axis=1)[:, :count]
        ids.sort(axis=1)
        best = np.take_along_axis(logits, ids, 1)
        ids = np.take_along_axis(ids, (-best).argsort(axis=1, kind="stable"), 1)
    return np.take_along_axis(logits, ids, 1), ids, row_logsumexp(logits)


def logsumexp(logits: np.ndarray) -> np.ndarray:
    """The log-sum-exp of each row, the same that `top` tells."""
    return row_logsumexp(logits) if (answer := engine_top(logits, 1)) is None else answer[2]


def row_logsumexp(logits: np.ndarray) -> np.ndarray:
    """The same without the engine."""
    largest = logits.max(1, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    with np.errstate(divide="ignore", over="ignore"):
        return (np.log(np.exp(logits - shift).sum(1, keepdims=True)) + shift)[:, 0]
