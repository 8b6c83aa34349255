"""Models, each one file that reads like its paper's figure."""

from regard.config import (
    AlignConfig,
    AlignerConfig,
    AttentionConfig,
    AttentionMethodConfig,
    ClassificationHeadConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeedForwardConfig,
    GlimpseConfig,
    MaskedAlignerConfig,
    MemoryNetworkConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    RecurrentConfig,
    ScoreConfig,
    SpeechConfig,
    StackConfig,
    TransformerConfig,
    VisionConfig,
    XLConfig,
)
from regard.families import PRESETS, preset
from regard.models.alignment import Aligner
from regard.models.build import Model, build
from regard.models.decoder import Decoder
from regard.models.decoder_state import DecoderState
from regard.models.encoder import Encoder
from regard.models.masked_aligner import MaskedAligner
from regard.models.memory import MemoryNetwork
from regard.models.speech import SpeechTransformer
from regard.models.transformer import Transformer
from regard.models.vision import GlimpseNetwork, VisionTransformer
from regard.models.xl import TransformerXL

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
    "MaskedAligner",
    "MaskedAlignerConfig",
    "MemoryNetwork",
    "MemoryNetworkConfig",
    "Model",
    "NormConfig",
    "OutputConfig",
    "PositionConfig",
    "RecurrentConfig",
    "ScoreConfig",
    "SpeechConfig",
    "SpeechTransformer",
    "StackConfig",
    "Transformer",
    "TransformerConfig",
    "TransformerXL",
    "VisionConfig",
    "VisionTransformer",
    "XLConfig",
    "build",
    "preset",
]  # fmt: skip
