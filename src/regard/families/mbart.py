"""mBART: Liu et al. 2020. BART with the norms before each part, and one at the end of each side."""

from dataclasses import replace

from regard.config import EmbeddedStackConfig, TransformerConfig
from regard.config.ranges import VOCABULARY
from regard.families import bart
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import Sizes, example_sizes
from regard.families.tensor_names import TensorName, TensorNames, weight_and_bias

ARCHITECTURES = ("MBartModel", "MBartForConditionalGeneration")


def read(options: Options, architecture: str) -> TransformerConfig:
    allow_pre_norm(options)
    options.only("normalize_embedding", True)
    options.only("static_position_embeddings", False)
    options.only("extra_pos_embeddings", bart.OFFSET)
    vocabulary, scale = options.integer("vocab_size", 50265, VOCABULARY), bart.scale_of(options)
    encoder, decoder = (side(bart.sizes_of(options, name, vocabulary), scale) for name in ("encoder", "decoder"))
    return TransformerConfig(encoder, decoder, *bart.tables(options, scored=architecture == ARCHITECTURES[1]))


def allow_pre_norm(options: Options) -> None:
    """Refuse what the config of a relative of BART may ask for, but for norms before each part and at the end."""
    for key in ("normalize_before", "add_final_layer_norm"):
        options.only(key, True)
    for key in ("add_bias_logits", "is_decoder"):
        options.only(key, False)
    options.ignore(*bart.UNUSED)


def side(sizes: Sizes, scale: float = 1.0) -> EmbeddedStackConfig:
    """BART's with the norms elsewhere."""
    return pre_norm(bart.side(sizes, scale))


def pre_norm(side: EmbeddedStackConfig) -> EmbeddedStackConfig:
    """The same with norms before each part, and one at the end."""
    return replace(side, stack=replace(side.stack, pre_norm=True, final_norm=True))


def example() -> ExampleModel:
    both = side(example_sizes("relu"))
    return ExampleModel(TransformerConfig(both, both), ARCHITECTURES[1], {"model_type": "mbart"})


def write(config: TransformerConfig, architecture: str) -> dict[str, object]:
    return bart.write(config, architecture) | {"model_type": "mbart"}


def names(config: TransformerConfig, architecture: str) -> TensorNames:
    root = "" if architecture == ARCHITECTURES[0] else "model."
    bare = "BartModel" if architecture == ARCHITECTURES[0] else "BartForConditionalGeneration"
    return bart.names(config, bare) + TensorNames.of(final_norms(root))


def final_norms(root: str) -> list[TensorName]:
    """The norms at the end of both sides."""
    sides = ("encoder", "decoder")
    return [row for side in sides for row in weight_and_bias(f"{side}.stack.norm", f"{root}{side}.layer_norm")]


FAMILY = Family("mbart", ARCHITECTURES, read, write, names, example)
