"""Marian, the translators of OPUS-MT: Junczys-Dowmunt et al. 2018; Tiedemann and Thottingal 2020."""

from dataclasses import replace
from functools import partial

from regard.config import EmbeddedStackConfig, EmbeddingConfig, OutputConfig, PositionConfig, TransformerConfig
from regard.config.ranges import VOCABULARY
from regard.families import bart
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorNames

ARCHITECTURES = ("MarianModel", "MarianMTModel")


def read(options: Options, architecture: str) -> TransformerConfig:
    bart.refuse_unsupported(options)
    options.only("normalize_embedding", False)
    options.only("static_position_embeddings", True)
    options.ignore("extra_pos_embeddings")
    shared = options.flag("share_encoder_decoder_embeddings", True)
    vocabulary = options.integer("vocab_size", 58101, VOCABULARY)
    target = options.integer_or_none("decoder_vocab_size", None, VOCABULARY) or vocabulary
    scale, target = bart.scale_of(options), vocabulary if shared else target
    sizes = [bart.sizes_of(options, side, words) for side, words in (("encoder", vocabulary), ("decoder", target))]
    return TransformerConfig(
        side(sizes[0], scale),
        side(sizes[1], scale),
        *bart.tables(options, scored=architecture == "MarianMTModel", shared=shared),
    )


def side(sizes: Sizes, scale: float, layout: str = "halves") -> EmbeddedStackConfig:
    """Vaswani et al. 2017, as Marian has it: norms after each part, all sines before all cosines."""
    words = EmbeddingConfig(sizes.vocabulary, scale=scale, dropout=sizes.embedding_dropout)
    position = PositionConfig("sinusoidal", {"width": sizes.width, "layout": layout})
    return EmbeddedStackConfig(words, bart.stack(sizes), position)


def preset(
    width: int, feed_forward_width: int, heads: int, dropout: float, vocabulary: int = 37000
) -> TransformerConfig:
    """Vaswani et al. 2017, table 3: six layers on each side, one table of 37000 words for both and for the output."""
    sizes = Sizes(vocabulary, 6, width, heads, feed_forward_width, "relu", dropout=dropout, attention_dropout=0.0)
    both = side(replace(sizes, embedding_dropout=dropout), width**0.5, "neighbours")
    return TransformerConfig(both, both)


def plan(model: ModelRecipe, data: DataSizes) -> ModelPlan:
    counts = (data.vocabulary, data.target_vocabulary or data.vocabulary)
    encoder, decoder = (
        side(Sizes.of_recipe(model, words, "relu", is_decoder=is_decoder), model.width**0.5)
        for words, is_decoder in zip(counts, (False, True), strict=True)
    )
    shared = model.shared_embedding and data.target_vocabulary is None
    output = OutputConfig(model.tied_embedding, bias=model.output_bias)
    entries = {"model_type": "marian", "max_position_embeddings": model.max_positions}
    return ModelPlan(TransformerConfig(encoder, decoder, output, shared=shared), "MarianMTModel", entries)


def example() -> ExampleModel:
    both = side(example_sizes("relu"), 1.0)
    return ExampleModel(TransformerConfig(both, both), "MarianMTModel", {"model_type": "marian"})


def write(config: TransformerConfig, architecture: str) -> dict[str, object]:
    return {"model_type": "marian", **bart.config_entries(config)} | {
        "vocab_size": config.encoder.embedding.vocabulary,
        "decoder_vocab_size": config.decoder.embedding.vocabulary,
        "share_encoder_decoder_embeddings": has_shared(config),
    }


def has_shared(config: TransformerConfig) -> bool:
    """Whether there is a table for both sides; an untied model of one vocabulary has it, too, and does not use it."""
    tied = config.output is None or config.output.tied
    return config.shared or (not tied and config.encoder.embedding.vocabulary == config.decoder.embedding.vocabulary)


def names(config: TransformerConfig, architecture: str) -> TensorNames:
    root = "" if architecture == "MarianModel" else "model."
    waves = [f"{root}{side}.embed_positions.weight" for side in ("encoder", "decoder")]
    table = bart.words(config, root, has_shared=has_shared(config))
    return table + TensorNames.of(bart.layers(config, root), spare=waves, root=root)


FAMILY = Family(
    "marian",
    ARCHITECTURES,
    read,
    write,
    names,
    example,
    presets={
        "transformer-base": partial(preset, 512, 2048, 8, dropout=0.1),
        "transformer-big": partial(preset, 1024, 4096, 16, dropout=0.3),
    },
    kind="transformer",
    plan=plan,
)
