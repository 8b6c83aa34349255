"""The likeliest tokens, and what makes scores of them probabilities."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

import regard.engine as engine

Scores = Float[Tensor, "rows vocabulary"]


def top(logits: Scores, count: int) -> tuple[Float[Tensor, "rows count"], Int[Tensor, "rows count"], Tensor]:
    """The `count` highest scores of each row, the highest first, their tokens, and the log-sum-exp of the row.

    All float32. Fewer than `count` where the vocabulary is smaller. What is not a number is in the log-sum-exp, too.
    """
    logits = logits.float()
    count = min(count, logits.shape[1])
    if (answer := engine.top(logits, count)) is not None:
        return answer
    scores, ids = logits.max(-1, keepdim=True) if count == 1 else logits.topk(count, -1)
    return scores, ids, torch.logsumexp(logits, -1)
