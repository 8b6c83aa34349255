"""Texts that stand side by side are written as a GenerationConfig says."""

from collections.abc import Sequence
from dataclasses import replace

from regard.decoding import Beam, DecodeResult, OnStep, decode
from regard.tasks.generation_config import GenerationConfig


def decode_batch(
    model: object,
    source: object,
    prefix: object,
    config: GenerationConfig,
    *,
    max_new_tokens: Sequence[int],
    attention_mask: object = None,
    prefix_attention_mask: object = None,
    tree: bool = False,
    on_step: OnStep | None = None,
) -> list[DecodeResult]:
    """The hypotheses of every text of a batch, the best first; with `tree` how a beam search came to them."""
    return decode(
        model,
        source,
        attention_mask=attention_mask,
        prefix=prefix,
        prefix_attention_mask=prefix_attention_mask,
        beam=Beam(config.beam, config.early_stop),
        num_hypotheses=config.num_hypotheses,
        length_penalty=config.length_penalty,
        sampling=config.sampling,
        precision=config.precision,
        max_new_tokens=max_new_tokens,
        constraints=config.constraints,
        tree=tree and config.beam > 1,
        on_step=on_step,
    )


def with_prefix(result: DecodeResult, prefix: Sequence[int]) -> DecodeResult:
    """Hypotheses with what they had to begin with: tokens that were forced are certain."""
    hypotheses = [
        replace(hypothesis, ids=(*prefix, *hypothesis.ids), scores=(*(0.0 for _ in prefix), *hypothesis.scores))
        for hypothesis in result.hypotheses
    ]
    return replace(result, hypotheses=tuple(hypotheses))
