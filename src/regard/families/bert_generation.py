"""BERT for generation, as an encoder or as a language model: Rothe et al. 2020."""

from regard.config import DecoderConfig, EmbeddedStackConfig, EncoderConfig, OutputConfig
from regard.errors import CheckpointError
from regard.families import bert
from regard.families.family import ExampleModel, Family
from regard.families.options import Options
from regard.families.sizes import example_sizes
from regard.families.tensor_names import TensorNames

DEFAULTS = {
    "vocab_size": 50358, "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
    "intermediate_size": 4096,
}  # fmt: skip
"""Where they differ from BERT's."""


def read(options: Options, architecture: str) -> EncoderConfig | DecoderConfig:
    writes = architecture == "BertGenerationDecoder"
    if (is_decoder := options.flag("is_decoder", False)) != writes:
        shown = f"is_decoder = {is_decoder} is not supported, only {writes} in a {architecture}"
        raise CheckpointError(f"{options.where}: {shown}")
    options.only("position_embedding_type", "absolute")
    options.only("add_cross_attention", False)
    tied = options.flag("tie_word_embeddings", True)
    if writes:
        return DecoderConfig(side(options), OutputConfig(tied, bias=True))
    return EncoderConfig(side(options))


def side(options: Options) -> EmbeddedStackConfig:
    """BERT's without segments."""
    options.presume(DEFAULTS)
    return bert.read_side(options, segments=0)


def write(config: EncoderConfig | DecoderConfig, architecture: str) -> dict[str, object]:
    entries = {"model_type": "bert-generation", "is_decoder": isinstance(config, DecoderConfig)}
    if isinstance(config, EncoderConfig):
        return entries | bert.stack_entries(config.encoder)
    tied = {"tie_word_embeddings": config.output.tied} if config.output else {}
    return entries | tied | bert.stack_entries(config.decoder)


def names(config: EncoderConfig | DecoderConfig, architecture: str) -> TensorNames:
    if isinstance(config, EncoderConfig):
        return body(config.encoder, "encoder", "")
    assert config.output is not None
    table = body(config.decoder, "decoder", "bert.")
    return table + bert.scores(config.output, "lm_head", "bert.embeddings.word_embeddings.weight")


def body(config: EmbeddedStackConfig, stack_name: str, root: str, *, cross: bool = False) -> TensorNames:
    """Words and layers of either side."""
    rows = bert.words(root, stack_name, segments=False)
    rows += bert.stack(config.stack, stack_name, f"{root}encoder.layer", cross=cross)
    return TensorNames.of(rows, spare=[f"{root}embeddings.position_ids"], old_endings=bert.OLDER)


def example() -> ExampleModel:
    config = EncoderConfig(bert.side(example_sizes("gelu"), segments=0))
    return ExampleModel(config, "BertGenerationEncoder", {"model_type": "bert-generation"})


FAMILY = Family("bert-generation", ("BertGenerationEncoder", "BertGenerationDecoder"), read, write, names, example)
