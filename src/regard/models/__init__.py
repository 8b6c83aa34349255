"""Models, each one file that reads like its paper's figure."""

from regard.models.alignment import AlignConfig, Aligner, AlignerConfig, RecurrentConfig
from regard.models.config import (
    AttentionConfig,
    AttentionMethodConfig,
    ClassificationHeadConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    ScoreConfig,
    StackConfig,
)
from regard.models.decoder import Decoder, DecoderConfig
from regard.models.decoder_state import DecoderState
from regard.models.encoder import Encoder, EncoderConfig
from regard.models.memory import MemoryNetwork, MemoryNetworkConfig
from regard.models.presets import PRESETS, preset
from regard.models.transformer import Transformer, TransformerConfig
from regard.models.vision import GlimpseConfig, GlimpseNetwork, VisionConfig, VisionTransformer
from regard.models.xl import TransformerXL, XLConfig

Model = Transformer | Encoder | Decoder | Aligner | MemoryNetwork | VisionTransformer | GlimpseNetwork

__all__ = [
    "PRESETS",
    "AlignConfig",
    "Aligner",
    "AlignerConfig",
    "AttentionConfig",
    "AttentionMethodConfig",
    "ClassificationHeadConfig",
    "Decoder",
    "DecoderConfig",
    "DecoderState",
    "EmbeddedStackConfig",
    "EmbeddingConfig",
    "Encoder",
    "EncoderConfig",
    "FeedForwardConfig",
    "GlimpseConfig",
    "GlimpseNetwork",
    "MemoryNetwork",
    "MemoryNetworkConfig",
    "Model",
    "NormConfig",
    "OutputConfig",
    "PositionConfig",
    "RecurrentConfig",
    "ScoreConfig",
    "StackConfig",
    "Transformer",
    "TransformerConfig",
    "TransformerXL",
    "VisionConfig",
    "VisionTransformer",
    "XLConfig",
    "preset",
]  # fmt: skip
