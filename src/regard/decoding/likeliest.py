"""Always the likeliest word."""

from collections.abc import Sequence

import numpy as np

from regard.decoding.candidates import Candidates
from regard.decoding.constraints import Constraints, Ids
from regard.decoding.hypothesis import Hypothesis
from regard.decoding.request import DecodeRequest
from regard.decoding.single import Choose, collect, decode_steps


def greedy(
    model: object,
    source: object,
    prefix: object,
    *,
    attention_mask: object = None,
    prefix_attention_mask: object = None,
    max_new_tokens: Sequence[int],
    constraints: Constraints = Constraints(),
) -> list[Hypothesis]:
    """Write on from a prefix, each text until it ends or has `max_new_tokens`; finished texts leave the batch."""
    request = DecodeRequest.of(
        model,
        source,
        prefix,
        attention_mask=attention_mask,
        prefix_attention_mask=prefix_attention_mask,
        max_new_tokens=max_new_tokens,
        constraints=constraints,
    )
    return collect(decode_steps(model, request, choose_likeliest(request)), len(request.max_new_tokens))


def choose_likeliest(request: DecodeRequest) -> Choose:
    """The choice of the best token that the constraints let through."""
    candidates = Candidates(request.constraints, by_logit=True)

    def choose(logits: np.ndarray, texts: np.ndarray, written: int, history: Ids | None) -> tuple[Ids, np.ndarray]:
        ranks, ids, scores = candidates.of(logits, 1, written, request.max_new_tokens[texts], history)
        return ids[:, 0], np.where(ranks[:, 0] == -np.inf, -np.inf, scores[:, 0])

    return choose
