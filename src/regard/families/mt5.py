"""mT5: Xue et al. 2021. T5 with a gate, whose scores of words are never scaled."""

from dataclasses import replace

from regard.config import EncoderConfig, OutputConfig, TransformerConfig
from regard.families import t5
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorNames

ARCHITECTURES = tuple(f"M{name}" for name in t5.ARCHITECTURES)
DEFAULTS: dict[str, object] = {
    "vocab_size": 250112, "d_ff": 1024, "num_layers": 8, "num_heads": 6, "feed_forward_proj": "gated-gelu",
}  # fmt: skip


def read(options: Options, architecture: str) -> EncoderConfig | TransformerConfig:
    options.presume(DEFAULTS)
    options.only("scale_decoder_outputs", False)
    config = t5.read(options, architecture.removeprefix("M"))
    if isinstance(config, TransformerConfig) and config.output is not None:
        return replace(config, output=replace(config.output, scale=1.0))
    return config


def example() -> ExampleModel:
    sizes = replace(example_sizes("gelu-tanh"), feed_forward_dropout=0.1)
    encoder, decoder = (t5.side(sizes, 5, gated=True, both_ways=both_ways) for both_ways in (True, False))
    return ExampleModel(
        TransformerConfig(encoder, decoder, OutputConfig(tied=False)), ARCHITECTURES[1], {"model_type": "mt5"}
    )


def write(config: EncoderConfig | TransformerConfig, architecture: str) -> dict[str, object]:
    entries = t5.write(config, architecture.removeprefix("M"))
    entries.pop("scale_decoder_outputs", None)
    return entries | {"model_type": "mt5"} | ({"tie_word_embeddings": True} if "tie_word_embeddings" in entries else {})


def names(config: EncoderConfig | TransformerConfig, architecture: str) -> TensorNames:
    return t5.names(config, architecture.removeprefix("M"))


FAMILY = Family("mt5", ARCHITECTURES, read, write, names, example)
