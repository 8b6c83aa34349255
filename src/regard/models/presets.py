"""Models of the papers, by name, with their published sizes."""

from collections.abc import Callable
from functools import partial

from regard.config import (
    AttentionConfig,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    EncoderConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
    TransformerConfig,
)
from regard.errors import lookup

Preset = TransformerConfig | EncoderConfig | DecoderConfig


def transformer(
    width: int, feed_forward_width: int, heads: int, dropout: float, vocabulary: int = 37000
) -> TransformerConfig:
    """Vaswani et al. 2017, table 3: six layers on each side, one table of 37000 words for both and for the output."""
    stack = StackConfig(
        layers=6,
        width=width,
        attention=AttentionConfig(heads),
        feed_forward=FeedForwardConfig(feed_forward_width, "relu"),
        pre_norm=False,
        final_norm=False,
        dropout=dropout,
    )
    words = EmbeddingConfig(vocabulary, scale=width**0.5, dropout=dropout)
    side = EmbeddedStackConfig(words, stack, PositionConfig("sinusoidal", {"width": width}))
    return TransformerConfig(side, side, OutputConfig(tied=True), shared=True)


def bert(layers: int, width: int, heads: int, vocabulary: int = 30522) -> EncoderConfig:
    """Devlin et al. 2019, 3 and A.2, with both heads of the pretraining."""
    stack = StackConfig(
        layers=layers,
        width=width,
        attention=AttentionConfig(heads, dropout=0.1),
        feed_forward=FeedForwardConfig(4 * width, "gelu"),
        norm=NormConfig("layer", 1e-12),
        pre_norm=False,
        final_norm=False,
        dropout=0.1,
    )
    words = EmbeddingConfig(vocabulary, segments=2, norm=True, dropout=0.1)
    side = EmbeddedStackConfig(words, stack, PositionConfig("learned", {"length": 512, "width": width}))
    return EncoderConfig(side, OutputConfig(tied=True, bias=True, transform="gelu"), pooler="tanh", follows=True)


def gpt2(layers: int, width: int, heads: int, vocabulary: int = 50257) -> DecoderConfig:
    """Radford et al. 2019, table 2. Heads are 64 wide, but for the largest model: 1600 / 25."""
    stack = StackConfig(
        layers=layers,
        width=width,
        attention=AttentionConfig(heads, dropout=0.1),
        feed_forward=FeedForwardConfig(4 * width, "gelu-tanh"),
        dropout=0.1,
    )
    words = EmbeddingConfig(vocabulary, dropout=0.1)
    side = EmbeddedStackConfig(words, stack, PositionConfig("learned", {"length": 1024, "width": width}))
    return DecoderConfig(side, OutputConfig(tied=True))


def t5(layers: int, width: int, feed_forward_width: int, heads: int, vocabulary: int = 32128) -> TransformerConfig:
    """Raffel et al. 2020, 3.1.2 and 3.7: no biases, no scale in the score, distances in buckets."""

    def side(both_ways: bool) -> EmbeddedStackConfig:
        stack = StackConfig(
            layers=layers,
            width=width,
            attention=AttentionConfig(heads, head_width=64, bias=False, scale=1.0, dropout=0.1),
            feed_forward=FeedForwardConfig(feed_forward_width, "relu", bias=False, dropout=0.1),
            norm=NormConfig("rms", 1e-6),
            dropout=0.1,
        )
        settings = {"heads": heads, "buckets": 32, "reach": 128, "both_ways": both_ways}
        return EmbeddedStackConfig(EmbeddingConfig(vocabulary, dropout=0.1), stack, PositionConfig("buckets", settings))

    return TransformerConfig(side(True), side(False), OutputConfig(tied=True, scale=width**-0.5), shared=True)


PRESETS: dict[str, Callable[..., Preset]] = {
    "transformer-base": partial(transformer, 512, 2048, 8, dropout=0.1),
    "transformer-big": partial(transformer, 1024, 4096, 16, dropout=0.3),
    "bert-base": partial(bert, 12, 768, 12),
    "bert-large": partial(bert, 24, 1024, 16),
    "gpt2": partial(gpt2, 12, 768, 12),
    "gpt2-medium": partial(gpt2, 24, 1024, 16),
    "gpt2-large": partial(gpt2, 36, 1280, 20),
    "gpt2-xl": partial(gpt2, 48, 1600, 25),
    "t5-small": partial(t5, 6, 512, 2048, 8),
    "t5-base": partial(t5, 12, 768, 3072, 12),
}


def preset(name: str, *, vocabulary: int | None = None) -> Preset:
    """The config of a published model; with `vocabulary`, for another number of words."""
    make = lookup(PRESETS, name, "preset")
    return make() if vocabulary is None else make(vocabulary=vocabulary)
