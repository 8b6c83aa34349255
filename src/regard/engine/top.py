"""The likeliest words of each row, in one pass."""

import torch
from torch import Tensor

from regard.engine.library import address, library
from regard.errors import ArgumentError


def top(logits: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor] | None:
    """The `count` highest scores, which words they are, and the log-sum-exp of all.

    None where the engine is not there, or the scores are not float32 on the processor.
    """
    answer = library()
    if answer is None or logits.dtype != torch.float32 or not logits.is_cpu or not logits.is_contiguous():
        return None
    rows, words = logits.shape
    if not 1 <= count <= words:
        raise ArgumentError(f"count is from 1 to the {words} words, got {count}")
    scores, logsumexp = (torch.empty(shape, dtype=torch.float32, device="cpu") for shape in ((rows, count), (rows,)))
    which = torch.empty(rows, count, dtype=torch.int64, device="cpu")
    done = answer.top(
        address("logits", logits, torch.float32),
        *(rows, words, count),
        address("scores", scores, torch.float32),
        address("which", which, torch.int64),
        address("logsumexp", logsumexp, torch.float32),
        torch.get_num_threads(),
    )
    answer.check(done)
    return scores, which, logsumexp
