"""Small models of every kind that the engine should run."""

from dataclasses import replace

import torch

from regard.config import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)
from regard.models import Decoder, DecoderConfig, Transformer, TransformerConfig

WORDS, WIDTH = 53, 24


def side(
    attention=AttentionConfig(4), feed_forward=FeedForwardConfig(40), position=PositionConfig(), embedding=None, **stack
):
    stack = StackConfig(**{"layers": 2, "width": WIDTH, "attention": attention, "feed_forward": feed_forward, **stack})
    return EmbeddedStackConfig(embedding or EmbeddingConfig(WORDS), stack, position)


def sinusoidal(layout="neighbours"):
    return PositionConfig("sinusoidal", {"width": WIDTH, "layout": layout})


def learned(length=40, width=WIDTH):
    return PositionConfig("learned", {"length": length, "width": width})


def pair(one, other=None, output=OutputConfig(), **more):
    return TransformerConfig(one, other or one, output, **more)


def buckets(both_ways):
    settings = {"heads": 4, "buckets": 8, "reach": 12, "both_ways": both_ways}
    return PositionConfig("buckets", settings)


def rotary(pairing="halves", width=6):
    return PositionConfig("rotary", {"head_width": width, "pairing": pairing})


MARIAN = side(
    position=sinusoidal("halves"), pre_norm=False, final_norm=False, embedding=EmbeddingConfig(WORDS, scale=WIDTH**0.5)
)
T5 = {
    "attention": AttentionConfig(4, head_width=5, bias=False, scale=1.0),
    "feed_forward": FeedForwardConfig(40, "gelu-tanh", gated=True, bias=False),
    "norm": NormConfig("rms", 1e-6),
}
LLAMA = side(
    AttentionConfig(4, kv_heads=2, bias=False),
    FeedForwardConfig(40, "silu", gated=True, bias=False),
    rotary(),
    norm=NormConfig("rms", 1e-5),
)
BERT = {
    "feed_forward": FeedForwardConfig(40, "gelu"),
    "pre_norm": False,
    "final_norm": False,
    "norm": NormConfig("layer", 1e-12),
}

MODELS = {
    "marian": pair(MARIAN, output=OutputConfig(bias=True)),
    "pre-norm": pair(side(position=sinusoidal())),
    "bart": pair(
        side(position=learned(), pre_norm=False, final_norm=False, embedding=EmbeddingConfig(WORDS, norm=True))
    ),
    "t5": pair(side(position=buckets(True), **T5), side(position=buckets(False), **T5), OutputConfig(scale=0.2)),
    "bert-generation": pair(
        side(position=learned(), embedding=EmbeddingConfig(WORDS, segments=2, norm=True), **BERT),
        side(position=learned(), embedding=EmbeddingConfig(WORDS, segments=2, norm=True), **BERT),
        OutputConfig(tied=False, bias=True, transform="gelu"),
        shared=False,
    ),
    "bridge": pair(
        replace(side(position=PositionConfig()), stack=replace(side().stack, width=16)),
        side(),
        shared=False,
        bridge=True,
    ),
    "narrow words": pair(
        side(position=learned(width=8), embedding=EmbeddingConfig(WORDS, embedding_width=8, norm=True)),
        output=OutputConfig(tied=True, transform="tanh"),
    ),
    "alibi encoder": pair(side(position=PositionConfig("alibi", {"heads": 4}), window=3)),
    "shared layers": pair(side(layers=4, distinct=2)),
    "pruned": pair(
        side(position=buckets(True), pruned={"0.self": [1], "1.self": [0, 3], "1.cross": [2]}),
        side(position=buckets(False), pruned={"0.self": [0], "1.cross": [2]}),
    ),
    "grouped": pair(side(AttentionConfig(4, kv_heads=2, head_width=8), position=sinusoidal())),
    "gpt2": DecoderConfig(side(feed_forward=FeedForwardConfig(40, "gelu-tanh"), position=learned())),
    "llama": DecoderConfig(LLAMA, OutputConfig(tied=False)),
    "mistral": DecoderConfig(replace(LLAMA, stack=replace(LLAMA.stack, window=4)), OutputConfig(tied=False)),
    "pruned groups": DecoderConfig(
        replace(LLAMA, stack=replace(LLAMA.stack, pruned={"0.self": [1], "1.self": [2, 3]}))
    ),
    "neighbours": DecoderConfig(side(position=rotary("neighbours"))),
    "alibi": DecoderConfig(side(position=PositionConfig("alibi", {"heads": 4}))),
    "gpt": DecoderConfig(
        side(position=learned(), pre_norm=False, final_norm=False, feed_forward=FeedForwardConfig(40, "relu"))
    ),
}


def made(name, seed=0, spread=1.0):
    """A model with weights so large that its answers differ."""
    torch.manual_seed(seed)
    config = MODELS[name]
    model = (Transformer if isinstance(config, TransformerConfig) else Decoder)(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * spread * (0.2 if parameter.dim() > 1 else 0.1))
    return model


def texts(rows, length, seed=0, words=WORDS):
    """Tokens and which of them are real; padding on both sides and in between."""
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(words, (rows, length), generator=generator)
    attention_mask = torch.rand(rows, length, generator=generator) < 0.75
    attention_mask[:, length // 2] = True
    return tokens, attention_mask
