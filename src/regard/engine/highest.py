"""The likeliest words of each row, in one pass."""

import numpy as np

from regard.engine.library import address, library
from regard.engine.threads import thread_count
from regard.errors import ArgumentError


def top(logits: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The `count` highest scores, which words they are, and the log-sum-exp of all.

    None where the engine is not there, or the scores are not float32, row after row.
    """
    answer = library()
    if answer is None or logits.dtype != np.float32 or not logits.flags.c_contiguous:
        return None
    rows, words = logits.shape
    if not 1 <= count <= words:
        raise ArgumentError(f"count is from 1 to the {words} words, got {count}")
    scores, logsumexp = np.empty((rows, count), np.float32), np.empty(rows, np.float32)
    which = np.empty((rows, count), np.int64)
    done = answer.top(
        address("logits", logits, np.float32),
        *(rows, words, count),
        address("scores", scores, np.float32),
        address("which", which, np.int64),
        address("logsumexp", logsumexp, np.float32),
        thread_count(),
    )
    answer.check(done)
    return scores, which, logsumexp
