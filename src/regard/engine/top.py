"""The likeliest words of each row, in one pass."""

import torch
from torch import Tensor

from regard.engine.library import library


def top(logits: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor] | None:
    """The `count` highest scores, which words they are, and the log-sum-exp of all.

    None where the engine is not there, or the scores are not float32 on the processor.
    """
    answer = library()
    if answer is None or logits.dtype != torch.float32 or logits.device.type != "cpu" or not logits.is_contiguous():
        return None
    rows, words = logits.shape
    scores, which = torch.empty(rows, count), torch.empty(rows, count, dtype=torch.int64)
    logsumexp = torch.empty(rows)
    pointers = scores.data_ptr(), which.data_ptr(), logsumexp.data_ptr()
    answer.check(answer.top(logits.data_ptr(), rows, words, count, *pointers, torch.get_num_threads()))
    return scores, which, logsumexp
