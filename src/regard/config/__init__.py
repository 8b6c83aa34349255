"""What models are made of, as plain data: nothing here imports torch."""

from regard.config.head_split import HeadSplit
from regard.config.models import (
    MULTIHEAD,
    AlignConfig,
    AlignerConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    GlimpseConfig,
    MemoryNetworkConfig,
    RecurrentConfig,
    TransformerConfig,
    VisionConfig,
    XLConfig,
)
from regard.config.part_sizes import PartSizes
from regard.config.parts import (
    AttentionConfig,
    AttentionMethodConfig,
    ClassificationHeadConfig,
    DistanceConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    ScoreConfig,
    StackConfig,
)
from regard.config.rope_scaling import RopeScaling

__all__ = [
    "MULTIHEAD",
    "AlignConfig",
    "AlignerConfig",
    "AttentionConfig",
    "AttentionMethodConfig",
    "ClassificationHeadConfig",
    "Config",
    "DecoderConfig",
    "DistanceConfig",
    "EmbeddedStackConfig",
    "EmbeddingConfig",
    "EncoderConfig",
    "FeedForwardConfig",
    "GlimpseConfig",
    "HeadSplit",
    "MemoryNetworkConfig",
    "NormConfig",
    "OutputConfig",
    "PartSizes",
    "PositionConfig",
    "RecurrentConfig",
    "RopeScaling",
    "ScoreConfig",
    "StackConfig",
    "TransformerConfig",
    "VisionConfig",
    "XLConfig",
]  # fmt: skip
