"""Configs as diagrams: what a model is made of, drawn from its numbers. Nothing here imports torch."""

from collections.abc import Callable
from typing import Any

from regard.architectures.aligner import aligner_diagram
from regard.architectures.images import glimpse_diagram, vision_diagram
from regard.architectures.masked_aligner import masked_aligner_diagram
from regard.architectures.memory_network import memory_diagram
from regard.architectures.speech import speech_diagram
from regard.architectures.stacks import decoder_diagram, encoder_diagram, transformer_diagram
from regard.architectures.weights import count_weights
from regard.config import (
    AlignerConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    GlimpseConfig,
    MaskedAlignerConfig,
    MemoryNetworkConfig,
    SpeechConfig,
    TransformerConfig,
    VisionConfig,
    XLConfig,
)
from regard.pictures.diagrams import Diagram

DIAGRAMS: dict[type[Config], Callable[[Any, str], Diagram]] = {
    EncoderConfig: encoder_diagram,
    DecoderConfig: decoder_diagram,
    XLConfig: decoder_diagram,
    TransformerConfig: transformer_diagram,
    SpeechConfig: speech_diagram,
    AlignerConfig: aligner_diagram,
    MaskedAlignerConfig: masked_aligner_diagram,
    MemoryNetworkConfig: memory_diagram,
    VisionConfig: vision_diagram,
    GlimpseConfig: glimpse_diagram,
}
"""How each kind of model is drawn."""


def diagram_of(config: Config, title: str = "") -> Diagram:
    """The diagram of a model, told from its config alone."""
    return DIAGRAMS[type(config)](config, title or type(config).__name__.removesuffix("Config"))


__all__ = ["DIAGRAMS", "count_weights", "diagram_of"]
