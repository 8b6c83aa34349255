"""A recipe becomes a model, in the layout of a family that others can load."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from regard.checkpoints.hub import Config
from regard.errors import lookup
from regard.layers import CELLS
from regard.models import (
    AlignConfig,
    AlignerConfig,
    AttentionConfig,
    ClassificationHeadConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeedForwardConfig,
    MemoryNetworkConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    RecurrentConfig,
    ScoreConfig,
    StackConfig,
    TransformerConfig,
    XLConfig,
)
from regard.training.model.parts import has_words, own_layout, try_out, with_parts
from regard.training.recipe.reading import RecipeError
from regard.training.recipe.recipe import ModelRecipe


@dataclass(frozen=True)
class ModelPlan:
    """A model to be built, and what its family calls it. `entries` is what config.json says beside its numbers."""

    config: Config
    architecture: str
    config_entries: dict[str, Any]


@dataclass(frozen=True)
class DataSizes:
    """What the data asks of a model: so many words (`written`, where the other side has its own), labels (0: none), and
    whether sentences follow each other; `longest` are the words of a remembered sentence."""

    vocabulary: int
    target_vocabulary: int | None = None
    labels: int = 0
    next_sentence: bool = False
    sentence_words: int = 0


def marian(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Vaswani et al. 2017, as Marian has it: norms after each part, all sines before all cosines."""
    sides = [
        EmbeddedStackConfig(
            EmbeddingConfig(words, scale=model.width**0.5, dropout=model.dropout),
            stack(model, layers, "relu", first=False, final_norm=False),
            PositionConfig("sinusoidal", {"width": model.width, "layout": "halves"}),
        )
        for words, layers in zip(
            (sizes.vocabulary, sizes.target_vocabulary or sizes.vocabulary), depths(model), strict=True
        )
    ]
    shared = model.shared_embedding and sizes.target_vocabulary is None
    output = OutputConfig(model.tied_embedding, bias=model.output_bias)
    entries = {"model_type": "marian", "max_position_embeddings": model.max_positions}
    return ModelPlan(TransformerConfig(sides[0], sides[1], output, shared=shared), "MarianMTModel", entries)


def t5(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Raffel et al. 2020: norms before each part, no biases, distances in buckets."""
    sides = [
        EmbeddedStackConfig(
            EmbeddingConfig(sizes.vocabulary, dropout=model.dropout),
            StackConfig(
                layers=layers,
                width=model.width,
                attention=AttentionConfig(
                    model.heads, model.width // model.heads, bias=False, scale=1.0, dropout=model.attention_dropout
                ),
                feed_forward=FeedForwardConfig(
                    feed_forward_width(model),
                    model.activation or "relu",
                    bias=False,
                    dropout=model.feed_forward_dropout,
                ),
                norm=NormConfig("rms", 1e-6),
                dropout=model.dropout,
            ),
            PositionConfig("buckets", {"heads": model.heads, "buckets": 32, "reach": 128, "both_ways": both}),
        )
        for layers, both in zip(depths(model), (True, False), strict=True)
    ]
    output = OutputConfig(model.tied_embedding, scale=model.width**-0.5 if model.tied_embedding else 1.0)
    return ModelPlan(TransformerConfig(sides[0], sides[1], output), "T5ForConditionalGeneration", {"model_type": "t5"})


def gpt2(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Radford et al. 2019: norms before each part, learned positions."""
    position = PositionConfig("learned", {"length": model.max_positions, "width": model.width})
    side = EmbeddedStackConfig(
        EmbeddingConfig(sizes.vocabulary, dropout=model.dropout), stack(model, depths(model)[0], "gelu-tanh"), position
    )
    return decoder_plan(model, sizes, side, "GPT2", "LMHeadModel")


def llama(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Touvron et al. 2023: RMS norms before each part, rotary positions, a gated feed-forward layer, no biases."""
    layers = StackConfig(
        layers=depths(model)[0],
        width=model.width,
        attention=AttentionConfig(model.heads, bias=False, dropout=model.attention_dropout),
        feed_forward=FeedForwardConfig(feed_forward_width(model), model.activation or "silu", gated=True, bias=False),
        norm=NormConfig("rms", 1e-6),
        dropout=model.dropout,
    )
    settings = {"head_width": model.width // model.heads, "base": 10000.0, "pairing": "halves"}
    side = EmbeddedStackConfig(
        EmbeddingConfig(sizes.vocabulary, dropout=model.dropout), layers, PositionConfig("rotary", settings)
    )
    plan = decoder_plan(model, sizes, side, "Llama", "ForCausalLM")
    return ModelPlan(
        plan.config, plan.architecture, plan.config_entries | {"max_position_embeddings": model.max_positions}
    )


def xl(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Dai et al. 2019, norms before each part: distances in the score, and a memory of what was read before."""
    layers = stack(model, depths(model)[0], "gelu-tanh")
    window = model.memory_length + 1 if model.memory_length else None
    layers = replace(layers, attention=replace(layers.attention, score=ScoreConfig("xl")), window=window)
    side = EmbeddedStackConfig(EmbeddingConfig(sizes.vocabulary, dropout=model.dropout), layers)
    output = OutputConfig(model.tied_embedding, bias=model.output_bias)
    return ModelPlan(XLConfig(side, output), "TransformerXL", {"model_type": "regard-xl"})


def decoder_plan(
    model: ModelRecipe, sizes: DataSizes, side: EmbeddedStackConfig, family: str, ending: str
) -> ModelPlan:
    """A model that reads left to right, and what is asked of it."""
    entries = {"model_type": family.lower()}
    if sizes.labels:
        classify = ClassificationHeadConfig(sizes.labels, pool_of(model), bias=False)
        return ModelPlan(DecoderConfig(side, None, classify), f"{family}ForSequenceClassification", entries)
    return ModelPlan(
        DecoderConfig(side, OutputConfig(model.tied_embedding, bias=model.output_bias)), f"{family}{ending}", entries
    )


def bert(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Devlin et al. 2019: norms after each part, learned positions, segments."""
    epsilon = NormConfig("layer", 1e-12)
    side = EmbeddedStackConfig(
        EmbeddingConfig(sizes.vocabulary, segments=2, norm=True, dropout=model.dropout),
        stack(model, depths(model)[0], "gelu", norm=epsilon, first=False, final_norm=False),
        PositionConfig("learned", {"length": model.max_positions, "width": model.width}),
    )
    entries = {"model_type": "bert"}
    if sizes.labels:
        classify = ClassificationHeadConfig(sizes.labels, pool_of(model), dropout=model.dropout)
        return ModelPlan(EncoderConfig(side, None, classify, "tanh"), "BertForSequenceClassification", entries)
    output = OutputConfig(model.tied_embedding, bias=True, transform=side.stack.feed_forward.activation)
    if sizes.next_sentence:
        return ModelPlan(EncoderConfig(side, output, pooler="tanh", follows=True), "BertForPreTraining", entries)
    return ModelPlan(EncoderConfig(side, output), "BertForMaskedLM", entries)


def esm(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Lin et al. 2023: norms before each part, rotary positions; it learns from little text what BERT needs much for."""
    settings = {"head_width": model.width // model.heads, "base": 10000.0, "pairing": "halves"}
    layers = stack(model, depths(model)[0], "gelu")
    side = EmbeddedStackConfig(EmbeddingConfig(sizes.vocabulary), layers, PositionConfig("rotary", settings))
    entries = {"model_type": "esm", "max_position_embeddings": model.max_positions}
    if sizes.labels:
        classify = ClassificationHeadConfig(sizes.labels, pool_of(model), "tanh", dropout=model.dropout)
        return ModelPlan(EncoderConfig(side, None, classify), "EsmForSequenceClassification", entries)
    if sizes.next_sentence:
        raise RecipeError("model.family = 'esm' does not tell whether sentences follow each other: bert does")
    return ModelPlan(
        EncoderConfig(side, OutputConfig(model.tied_embedding, bias=True, transform="gelu")), "EsmForMaskedLM", entries
    )


def alignment(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Bahdanau et al. 2015 (`score = "additive"`) or Luong et al. 2015, in a layout of our own.

    Annotations, both ways together, are as wide as the decoder's state.
    """
    words = model.embedding_width or model.width
    counts, widths = (sizes.vocabulary, sizes.target_vocabulary or sizes.vocabulary), (model.width // 2, model.width)
    stack_sizes = zip(counts, widths, depths(model), strict=True)
    reads, writes = (RecurrentConfig(count, words, width, layers) for count, width, layers in stack_sizes)
    alignment_config = None
    named = model.score.kind or "additive"
    if model.score.settings or model.position.kind or model.attention.kind:
        raise RecipeError("an alignment has a score of some kind, without settings: no position, no other attention")
    if named != "none":
        score, when = lookup(ALIGNMENT_SCORES, named, "score (model.score.kind)")
        alignment_config = AlignConfig(score, when, model.heads, words, model.local or None, model.local_window)
    before = alignment_config is not None and alignment_config.look == "before"
    lookup(CELLS, model.cell, "cell (model.cell)")
    config = AlignerConfig(
        reads,
        writes,
        alignment_config,
        cell=model.cell,
        deep=model.activation or ("maxout" if before else "tanh"),
        skips=before,
        feeding=model.input_feeding,
        output=OutputConfig(model.tied_embedding, bias=model.output_bias),
        shared=model.shared_embedding and sizes.target_vocabulary is None,
        dropout=model.dropout,
    )
    return ModelPlan(config, "Aligner", {"model_type": "regard-alignment"})


def memory(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """Sukhbaatar et al. 2015, in a layout of our own. Word 0 is none."""
    config = MemoryNetworkConfig(
        sizes.vocabulary,
        model.width,
        hops=depths(model)[0],
        tying=model.weight_tying,
        projects=model.hop_projection,
        memories=model.max_positions,
        max_words=sizes.sentence_words,
    )
    return ModelPlan(config, "MemoryNetwork", {"model_type": "regard-memory"})


ALIGNMENT_SCORES: dict[str, tuple[str, Literal["before", "after"]]] = {
    "additive": ("additive", "before"),
    "concat": ("additive", "after"),
    "general": ("bilinear", "after"),
    "dot": ("dot", "after"),
    "multihead": ("multihead", "after"),
}
"""Scores as the papers call them: which one it is, and whether the state asks before it reads a word or after."""


def stack(
    model: ModelRecipe,
    layers: int,
    activation: str,
    *,
    norm: NormConfig = NormConfig(),
    first: bool = True,
    final_norm: bool = True,
) -> StackConfig:
    """Layers as most families have them."""
    return StackConfig(
        layers=layers,
        width=model.width,
        attention=AttentionConfig(model.heads, dropout=model.attention_dropout),
        feed_forward=FeedForwardConfig(
            feed_forward_width(model), model.activation or activation, dropout=model.feed_forward_dropout
        ),
        norm=norm,
        pre_norm=first,
        final_norm=final_norm,
        dropout=model.dropout,
    )


def depths(model: ModelRecipe) -> tuple[int, int]:
    """Layers of the encoder and of the decoder."""
    return (model.layers[0], model.layers[-1])


def feed_forward_width(model: ModelRecipe) -> int:
    return model.feed_forward_width or 4 * model.width


def pool_of(model: ModelRecipe) -> Literal["first", "last", "mean"]:
    if model.pool not in ("first", "last", "mean"):
        raise RecipeError(f"model.pool = {model.pool!r}: first, last or mean expected")
    return cast(Literal["first", "last", "mean"], model.pool)


ModelPlanner = Callable[[ModelRecipe, DataSizes], ModelPlan]
FAMILIES: dict[str, dict[str, ModelPlanner]] = {
    "transformer": {"marian": marian, "t5": t5},
    "encoder": {"bert": bert, "esm": esm},
    "decoder": {"gpt2": gpt2, "llama": llama},
    "xl": {"xl": xl},
    "alignment": {"alignment": alignment},
    "memory": {"memory": memory},
}
"""The styles of each kind of model; the first is the usual one."""


def model_plan(model: ModelRecipe, sizes: DataSizes) -> ModelPlan:
    """What a recipe's model is made of."""
    styles = lookup(FAMILIES, model.kind, "model kind")
    style = lookup(styles, model.family or next(iter(styles)), f"family of {model.kind} (model.family)")
    if len(model.layers) > (2 if model.kind in ("transformer", "alignment") else 1) or min(model.layers, default=0) < 1:
        raise RecipeError(f"model.layers = {list(model.layers)}: one number from 1 on expected, or two for two sides")
    if model.heads < 1 or model.width % model.heads:
        raise RecipeError(f"model.heads = {model.heads}: a width of {model.width} cannot be split into so many")
    plan = style(model, sizes)
    if model.kind in ("alignment", "memory"):
        return plan
    config = with_parts(plan.config, model)
    try_out(config)
    if has_words(config, plan.architecture, plan.config_entries):
        return replace(plan, config=config)
    return ModelPlan(config, *own_layout(config, plan.config_entries))
