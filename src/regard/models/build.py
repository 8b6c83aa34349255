"""A config becomes a model."""

from regard.config import (
    AlignerConfig,
    Config,
    DecoderConfig,
    EncoderConfig,
    GlimpseConfig,
    MaskedAlignerConfig,
    MemoryNetworkConfig,
    SpeechConfig,
    VisionConfig,
    XLConfig,
)
from regard.models.alignment import Aligner
from regard.models.decoder import Decoder
from regard.models.encoder import Encoder
from regard.models.masked_aligner import MaskedAligner
from regard.models.memory import MemoryNetwork
from regard.models.speech import SpeechTransformer
from regard.models.transformer import Transformer
from regard.models.vision import GlimpseNetwork, VisionTransformer
from regard.models.xl import TransformerXL

Model = (
    Transformer
    | SpeechTransformer
    | Encoder
    | Decoder
    | Aligner
    | MaskedAligner
    | MemoryNetwork
    | VisionTransformer
    | GlimpseNetwork
)


def build(config: Config) -> Model:
    """The model that a config describes."""
    if isinstance(config, EncoderConfig):
        return Encoder(config)
    if isinstance(config, AlignerConfig):
        return Aligner(config)
    if isinstance(config, MaskedAlignerConfig):
        return MaskedAligner(config)
    if isinstance(config, MemoryNetworkConfig):
        return MemoryNetwork(config)
    if isinstance(config, VisionConfig):
        return VisionTransformer(config)
    if isinstance(config, GlimpseConfig):
        return GlimpseNetwork(config)
    if isinstance(config, SpeechConfig):
        return SpeechTransformer(config)
    if isinstance(config, XLConfig):
        return TransformerXL(config)
    return Decoder(config) if isinstance(config, DecoderConfig) else Transformer(config)
