"""Where a translator looks at its source, as its config says."""

from regard.config import AlignerConfig, Config, DecoderConfig, TransformerConfig
from regard.text.align.heads import AlignmentHead, AlignmentHeads


def source_layers(config: Config) -> list[str]:
    """Where a model looks at its source; a decoder, which reads source and target in one stream, does so everywhere."""
    if isinstance(config, AlignerConfig):
        return ["align"]
    assert isinstance(config, DecoderConfig | TransformerConfig)
    kind = "self" if isinstance(config, DecoderConfig) else "cross"
    return [f"decoder.{layer}.{kind}" for layer in range(config.decoder.stack.layers)]


def alignment_layer(layers: int) -> int:
    """The layer whose looks at the source are read as an alignment: the last but one (Garg et al. 2019, section 4)."""
    return max(0, layers - 2)


def default_alignment_heads(config: Config) -> AlignmentHeads:
    """What is read as an alignment where nobody chose: the mean of the heads of one layer, at the step that writes."""
    layers = source_layers(config)
    return AlignmentHeads((AlignmentHead(layers[alignment_layer(len(layers))]),))
