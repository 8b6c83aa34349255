"""The one call that every task makes: token ids in, token ids out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from regard.decoding.beam import Beam, beam_search
from regard.decoding.greedy import likeliest
from regard.decoding.request import DecodeRequest
from regard.decoding.rules import Constraints
from regard.decoding.sampling import Sampling, sampled
from regard.decoding.serving import served
from regard.decoding.single import collected, walk
from regard.decoding.written import DecodeResult
from regard.errors import RegardError
from regard.shapes import AttentionMask, Tokens


def decode(
    model: Any,
    source: Tokens | None,
    *,
    attention_mask: AttentionMask | None = None,
    beam: int | Beam = 1,
    min_new_tokens: int = 0,
    max_new_tokens: int | Sequence[int] | None = None,
    length_penalty: float = 1.0,
    num_hypotheses: int = 1,
    prefix: Tensor | None = None,
    prefix_attention_mask: Tensor | None = None,
    sample: Sampling | None = None,
    precision: str = "float32",
    rules: Constraints = Constraints(),
    tree: bool = False,
) -> list[DecodeResult]:
    """What a model writes for each source, or after each prompt: the likeliest tokens, a beam's, or drawn ones.

    `prefix` is what a text begins with, as tokens: the start token of a translator, or the prompt of a model that
    only writes on (its `source` is None). Lengths count new tokens; `max_length` is one number or one for each row.
    """
    beam = Beam(beam) if isinstance(beam, int) else beam
    if num_hypotheses < 1 or (sample is None and num_hypotheses > beam.size):
        raise RegardError(
            f"from 1 to {beam.size} hypotheses can be had of a beam of {beam.size}, got nbest={num_hypotheses}"
        )
    if sample is not None and (beam.size > 1 or tree):
        raise RegardError("tokens are drawn without a beam: sample= or beam=, not both; a tree is of a beam search")
    rules = replace(rules, min_new_tokens=max(min_new_tokens, rules.min_new_tokens))
    request = DecodeRequest.of(
        source,
        prefix,
        attention_mask=attention_mask,
        prefix_attention_mask=prefix_attention_mask,
        max_new_tokens=max_new_tokens,
        rules=rules,
    )
    serving = served(model, precision)
    if sample is not None:
        drawn = sampled(serving, request, sample, num_hypotheses, length_penalty)
        return [DecodeResult(tuple(texts)) for texts in drawn]
    if beam.size > 1 or tree:
        told = {"length_penalty": length_penalty, "nbest": num_hypotheses, "tree": tree, "looking": model}
        return beam_search(serving, request, beam, **told)
    texts = collected(walk(serving, request, likeliest(request)), len(request.max_new_tokens), length_penalty)
    return [DecodeResult((text,)) for text in texts]
