"""Texts that stand side by side are written as a GenerationConfig says."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from regard.decoding import Beam, DecodeResult, OnStep, decode
from regard.tasks.generation_config import GenerationConfig

if TYPE_CHECKING:
    from regard.decoding.running import RunningText, RunningTexts


class BatchOptions(TypedDict):
    """What texts begin with, which tokens of sources and beginnings are no padding, and how long each may become."""

    prefix: object
    attention_mask: object
    prefix_attention_mask: object
    max_new_tokens: Sequence[int]


def decode_batch(
    model: object,
    source: object,
    config: GenerationConfig,
    *,
    tree: bool = False,
    on_step: OnStep | None = None,
    **options: Unpack[BatchOptions],
) -> list[DecodeResult]:
    """The hypotheses of every text of a batch, the best first; with `tree` how a beam search came to them."""
    return decode(
        model,
        source,
        **options,
        beam=Beam(config.beam, config.early_stop),
        num_hypotheses=config.num_hypotheses,
        length_penalty=config.length_penalty,
        sampling=config.sampling,
        precision=config.precision,
        constraints=config.constraints,
        tree=tree and config.beam > 1,
        on_step=on_step,
    )


def join_batch(
    running: "RunningTexts",
    texts: "Sequence[RunningText]",
    source: object,
    config: GenerationConfig,
    *,
    is_apart: bool = False,
    **options: Unpack[BatchOptions],
) -> None:
    """The same among texts that are under way, in the precision that they have."""
    running.join(
        texts,
        source,
        **options,
        beam=Beam(config.beam, config.early_stop),
        num_hypotheses=config.num_hypotheses,
        length_penalty=config.length_penalty,
        sampling=config.sampling,
        constraints=config.constraints,
        is_apart=is_apart,
    )


def with_prefix(result: DecodeResult, prefix: Sequence[int]) -> DecodeResult:
    """Hypotheses with what they had to begin with: tokens that were forced are certain."""
    hypotheses = [
        replace(hypothesis, ids=(*prefix, *hypothesis.ids), scores=(*(0.0 for _ in prefix), *hypothesis.scores))
        for hypothesis in result.hypotheses
    ]
    return replace(result, hypotheses=tuple(hypotheses))
