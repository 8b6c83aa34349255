"""Everybody else's weights: one file per family, a config reader and a table of names."""

from typing import Any

from regard.checkpoints.files import CheckpointError
from regard.checkpoints.hub import (
    albert,
    alignment,
    bart,
    bert,
    bert_generation,
    distilbert,
    e2k,
    encoder_decoder,
    esm,
    generic,
    gpt2,
    llama,
    marian,
    memory,
    openai_gpt,
    roberta,
    t5,
    vision,
    xl,
)
from regard.checkpoints.hub.family import Family, architecture_of
from regard.config import Config
from regard.models import build

FAMILIES: dict[str, Family] = {
    kind: family
    for family in (
        bert.FAMILY,
        *roberta.FAMILIES,
        distilbert.FAMILY,
        albert.FAMILY,
        bert_generation.FAMILY,
        esm.FAMILY,
        gpt2.FAMILY,
        llama.LLAMA,
        llama.MISTRAL,
        llama.QWEN2,
        openai_gpt.FAMILY,
        t5.FAMILY,
        bart.FAMILY,
        marian.FAMILY,
        xl.FAMILY,
        alignment.FAMILY,
        e2k.FAMILY,
        memory.FAMILY,
        vision.FAMILY,
        generic.FAMILY,
    )
    for kind in family.kinds
}


def family_of(config: dict[str, Any], where: str) -> Family:
    """The family that a config belongs to."""
    kind = config.get("model_type")
    if kind == encoder_decoder.KIND:
        return encoder_decoder.family(config, where)
    if not isinstance(kind, str) or kind not in FAMILIES:
        supported = ", ".join(sorted({*FAMILIES, encoder_decoder.KIND}))
        raise CheckpointError(f"{where}: model_type = {kind!r} is not supported, only {supported}")
    return FAMILIES[kind]


__all__ = ["FAMILIES", "Config", "Family", "architecture_of", "build", "family_of"]
