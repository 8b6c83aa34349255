"""Models, each one file that reads like its paper's figure."""

from regard.models.alignment import AlignConfig, Aligner, AlignerConfig, RecurrentConfig
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
from regard.models.memory import Memory, MemoryConfig
from regard.models.presets import PRESETS, preset
from regard.models.state import State
from regard.models.transformer import Transformer, TransformerConfig
from regard.models.vision import Glimpse, GlimpseConfig, Vision, VisionConfig
from regard.models.xl import XL, XLConfig

Model = Transformer | Encoder | Decoder | Aligner | Memory | Vision | Glimpse

__all__ = [
    "PRESETS", "XL", "AlignConfig", "Aligner", "AlignerConfig", "AttentionConfig", "ClassifyConfig", "Decoder",
    "DecoderConfig", "Encoder", "EncoderConfig", "Glimpse", "GlimpseConfig", "InnerConfig", "Memory", "MemoryConfig",
    "Model", "NormConfig", "OutputConfig", "PositionConfig", "RecurrentConfig", "SideConfig", "StackConfig", "State",
    "Transformer", "TransformerConfig", "Vision", "VisionConfig", "WordsConfig", "XLConfig", "preset",
]  # fmt: skip
