"""M2M-100: Fan et al. 2020; and NLLB, which kept its names: NLLB Team 2022."""

from regard.config import EmbeddedStackConfig, EmbeddingConfig, PositionConfig, TransformerConfig
from regard.config.ranges import POSITIONS, VOCABULARY
from regard.families import bart, mbart, pegasus
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorNames
from regard.settings import NO_TOKEN, Range

ARCHITECTURES = ("M2M100Model", "M2M100ForConditionalGeneration")
DEFAULTS: dict[str, object] = {
    "vocab_size": 128112, "activation_function": "relu", "attention_dropout": 0.1, "scale_embedding": True,
}  # fmt: skip
PADDING = Range(NO_TOKEN, POSITIONS.most)
"""The number of the padding token, after which positions are numbered."""


def read(options: Options, architecture: str) -> TransformerConfig:
    options.presume(DEFAULTS)
    mbart.allow_pre_norm(options)
    options.only("normalize_embedding", False)
    options.only("static_position_embeddings", True)
    vocabulary, scale = options.integer("vocab_size", 128112, VOCABULARY), bart.scale_of(options)
    start = options.integer("pad_token_id", 1, PADDING) + 1
    encoder, decoder = (side(bart.sizes_of(options, name, vocabulary), scale, start) for name in ("encoder", "decoder"))
    return TransformerConfig(encoder, decoder, *bart.tables(options, scored=architecture == ARCHITECTURES[1]))


def side(sizes: Sizes, scale: float = 1.0, start: int = 2) -> EmbeddedStackConfig:
    """Norms before each part; all sines before all cosines, as tensor2tensor numbers their rates."""
    words = EmbeddingConfig(sizes.vocabulary, scale=scale, dropout=sizes.embedding_dropout)
    settings = {"width": sizes.width, "layout": "halves", "steps": sizes.width // 2 - 1, "start": start}
    return mbart.pre_norm(EmbeddedStackConfig(words, bart.stack(sizes), PositionConfig("sinusoidal", settings)))


def example() -> ExampleModel:
    both = side(example_sizes("relu"), 24**0.5)
    return ExampleModel(TransformerConfig(both, both), ARCHITECTURES[1], {"model_type": "m2m_100"})


def write(config: TransformerConfig, architecture: str) -> dict[str, object]:
    start = config.encoder.position.settings["start"]
    return {"model_type": "m2m_100", **bart.config_entries(config)} | {
        "vocab_size": config.encoder.embedding.vocabulary,
        "pad_token_id": start - 1,
    }


def names(config: TransformerConfig, architecture: str) -> TensorNames:
    root = "" if architecture == ARCHITECTURES[0] else "model."
    bare = pegasus.ARCHITECTURES[0 if architecture == ARCHITECTURES[0] else 1]
    waves = [f"{root}{side}.embed_positions.weights" for side in ("encoder", "decoder")]
    return pegasus.names(config, bare) + TensorNames.of([], spare=waves)


FAMILY = Family("m2m_100", ARCHITECTURES, read, write, names, example)
