"""All families. A new family is one file, and one line of FAMILIES."""

from collections.abc import Callable

from regard.errors import CheckpointError, lookup
from regard.families import (
    albert,
    alignment,
    bart,
    bert,
    bert_generation,
    deberta_v2,
    distilbert,
    e2k,
    electra,
    encoder_decoder,
    esm,
    gemma,
    generic,
    gpt2,
    gpt_neox,
    llama,
    m2m_100,
    marian,
    masked_aligner,
    mbart,
    memory,
    mixtral,
    modernbert,
    mt5,
    olmo2,
    openai_gpt,
    opt,
    pegasus,
    phi3,
    qwen3,
    roberta,
    t5,
    vision,
    vit,
    whisper,
    xl,
)
from regard.families.family import ExampleModel, Family, Preset
from regard.settings import shown

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        bert.FAMILY,
        *roberta.FAMILIES,
        distilbert.FAMILY,
        albert.FAMILY,
        bert_generation.FAMILY,
        esm.FAMILY,
        electra.FAMILY,
        modernbert.FAMILY,
        deberta_v2.FAMILY,
        gpt2.FAMILY,
        llama.LLAMA,
        llama.MISTRAL,
        llama.QWEN2,
        mixtral.FAMILY,
        qwen3.FAMILY,
        phi3.FAMILY,
        *gemma.FAMILIES,
        olmo2.FAMILY,
        gpt_neox.FAMILY,
        opt.FAMILY,
        openai_gpt.FAMILY,
        marian.FAMILY,
        t5.FAMILY,
        mt5.FAMILY,
        bart.FAMILY,
        mbart.FAMILY,
        pegasus.FAMILY,
        m2m_100.FAMILY,
        whisper.FAMILY,
        e2k.FAMILY,
        xl.FAMILY,
        alignment.FAMILY,
        masked_aligner.FAMILY,
        memory.FAMILY,
        vision.VISION,
        vision.GLIMPSE,
        vit.FAMILY,
        generic.FAMILY,
    )
}
"""By name. Of those that a kind of recipe can name, the first is the usual one."""
LAYOUTS = {name: family for name, family in FAMILIES.items() if name == family.model_type}
"""Those that config.json names; all others are written in the generic layout."""
RECIPES: dict[str, dict[str, Family]] = {
    kind: {name: family for name, family in FAMILIES.items() if family.kind == kind}
    for kind in dict.fromkeys(family.kind for family in FAMILIES.values() if family.kind)
}
"""Those that a recipe can name, by its model.kind."""
PRESETS: dict[str, Callable[..., Preset]] = {
    name: make for family in FAMILIES.values() for name, make in family.presets.items()
}
"""Models of the papers, by name, with their published sizes."""
EXAMPLES: dict[str, Callable[[], ExampleModel]] = {
    **{name: family.example for name, family in FAMILIES.items()},
    encoder_decoder.KIND: encoder_decoder.example,
}
"""A small model of every family."""


def family_of(config: dict[str, object], where: str) -> Family:
    """The family whose layout a config.json has."""
    kind = config.get("model_type")
    if kind == encoder_decoder.KIND:
        return encoder_decoder.family(config, where)
    if not isinstance(kind, str) or kind not in LAYOUTS:
        supported = ", ".join(sorted({*LAYOUTS, encoder_decoder.KIND}))
        raise CheckpointError(f"{where}: model_type = {shown(kind)} is not supported, only {supported}")
    return LAYOUTS[kind]


def preset(name: str, *, vocabulary: int | None = None) -> Preset:
    """The config of a published model; with `vocabulary`, for another number of words."""
    make = lookup(PRESETS, name, "preset")
    return make() if vocabulary is None else make(vocabulary=vocabulary)
