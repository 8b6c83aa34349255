"""Models, each one file that reads like its paper's figure."""

from regard.models.config import (
    AttentionConfig,
    ClassifyConfig,
    InnerConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    SideConfig,
    StackConfig,
    WordsConfig,
)
from regard.models.decoder import Decoder, DecoderConfig
from regard.models.encoder import Encoder, EncoderConfig
from regard.models.presets import PRESETS, preset
from regard.models.state import State
from regard.models.transformer import Transformer, TransformerConfig

Model = Transformer | Encoder | Decoder

__all__ = [
    "PRESETS", "AttentionConfig", "ClassifyConfig", "Decoder", "DecoderConfig", "Encoder", "EncoderConfig",
    "InnerConfig", "Model", "NormConfig", "OutputConfig", "PositionConfig", "SideConfig", "StackConfig", "State",
    "Transformer", "TransformerConfig", "WordsConfig", "preset",
]  # fmt: skip
