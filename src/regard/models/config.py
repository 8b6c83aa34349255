"""What a model is made of, as plain data. Each config mirrors a part in layers/."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from torch import nn

from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS, AttentionMethod
from regard.attention.scores import LearnedScore
from regard.errors import ShapeError, lookup
from regard.layers import (
    NORMS,
    ClassificationHead,
    Embedding,
    FeedForward,
    HeadSplit,
    MultiHead,
    Output,
    Stack,
    Transform,
    TransformerBlock,
)
from regard.positions import POSITIONS, Position


@dataclass(frozen=True)
class NormConfig:
    """Which norm, and what keeps it from dividing by zero."""

    kind: str = "layer"
    epsilon: float = 1e-5

    def build(self, width: int) -> nn.Module:
        return lookup(NORMS, self.kind, "norm")(width, eps=self.epsilon)


@dataclass(frozen=True)
class EmbeddingConfig:
    """The table of words, and what is added to them."""

    vocabulary: int
    embedding_width: int | None = None
    segments: int = 0
    norm: bool = False
    scale: float = 1.0
    dropout: float = 0.0

    def build(self, width: int, norm: NormConfig) -> Embedding:
        return Embedding(
            self.vocabulary,
            width,
            embedding_width=self.embedding_width,
            segments=self.segments,
            norm=norm.build(self.embedding_width or width) if self.norm else None,
            scale=self.scale,
            dropout=self.dropout,
        )


@dataclass(frozen=True)
class PositionConfig:
    """Which scheme, and its settings."""

    kind: str = "none"
    settings: dict[str, Any] = field(default_factory=dict)

    def build(self) -> Position:
        return lookup(POSITIONS, self.kind, "position scheme")(**self.settings)


@dataclass(frozen=True)
class ScoreConfig:
    """Which score, by its name in SCORES, and its settings."""

    kind: str = "dot"
    settings: dict[str, Any] = field(default_factory=dict)

    def build(self, heads: int, head_width: int) -> LearnedScore:
        return lookup(SCORES, self.kind, "score")(heads, head_width, **self.settings)


@dataclass(frozen=True)
class AttentionMethodConfig:
    """Which way to compare fewer pairs, by its name in ATTENTION_METHODS, and its settings."""

    kind: str
    settings: dict[str, Any] = field(default_factory=dict)

    def build(self) -> AttentionMethod:
        return lookup(ATTENTION_METHODS, self.kind, "attention method")(**self.settings)


@dataclass(frozen=True)
class AttentionConfig:
    """How a layer attends. `scale` is the dot product's, 1/√(head width) unless given; `score` is another score, and
    `method` another way than comparing every pair. Attention to a source has no method, and no score of distances."""

    heads: int
    head_width: int | None = None
    kv_heads: int | None = None
    bias: bool = True
    output_bias: bool | None = None
    scale: float | None = None
    dropout: float = 0.0
    score: ScoreConfig | None = None
    method: AttentionMethodConfig | None = None

    def split(self, width: int, pruned_heads: Collection[int] = ()) -> HeadSplit:
        """How a stream of this width is split into heads, some of which may have been taken out."""
        kept = tuple(head for head in range(self.heads) if head not in pruned_heads) if pruned_heads else None
        return HeadSplit.of(width, self.heads, head_width=self.head_width, kv_heads=self.kv_heads, remaining_heads=kept)

    def build(self, width: int, pruned_heads: Collection[int] = (), source_width: int | None = None) -> MultiHead:
        split = self.split(width, pruned_heads)
        score = None if self.scale is None else SCORES["dot"](split.heads, split.width, self.scale)
        if self.score is not None and (
            source_width is None or not lookup(SCORES, self.score.kind, "score").is_relative
        ):
            score = self.score.build(len(split.remaining_heads), split.width)
        return MultiHead(
            width,
            split,
            source_width=source_width,
            bias=self.bias,
            output_bias=self.output_bias,
            score=score,
            method=None if self.method is None or source_width is not None else self.method.build(),
            dropout=self.dropout,
        )


@dataclass(frozen=True)
class FeedForwardConfig:
    """The feed-forward layer."""

    width: int
    activation: str = "relu"
    gated: bool = False
    bias: bool = True
    dropout: float = 0.0

    def build(self, width: int) -> FeedForward:
        return FeedForward(width, self.width, self.activation, gated=self.gated, bias=self.bias, dropout=self.dropout)


@dataclass(frozen=True)
class StackConfig:
    """Blocks on top of each other.

    `distinct` blocks are made and repeated over the depth (ALBERT); all of them unless given. `pruned` names the
    heads that were taken out, by place within the stack: {"0.self": [1, 3]}; alike for all layers of one block.
    """

    layers: int
    width: int
    attention: AttentionConfig
    feed_forward: FeedForwardConfig
    norm: NormConfig = NormConfig()
    pre_norm: bool = True
    final_norm: bool = True
    window: int | None = None
    distinct: int | None = None
    pruned: dict[str, list[int]] = field(default_factory=dict)
    dropout: float = 0.0

    def build(self, source_width: int | None = None) -> Stack:
        blocks = [block for layers in self.shared() for block in [self.block(layers, source_width)] * len(layers)]
        return Stack(blocks, self.norm.build(self.width) if self.final_norm else None)

    def shared(self) -> list[range]:
        """The layers that each block serves."""
        blocks = self.layers if self.distinct is None else min(self.distinct, self.layers)
        firsts = [-(-block * self.layers // blocks) for block in range(blocks)] + [self.layers]
        return [range(first, last) for first, last in pairwise(firsts)]

    def block(self, layers: range, source_width: int | None) -> TransformerBlock:
        cross = None
        if source_width is not None:
            cross = self.attention.build(self.width, self.pruned_heads(layers, "cross"), source_width)
        return TransformerBlock(
            self.attention.build(self.width, self.pruned_heads(layers, "self")),
            self.feed_forward.build(self.width),
            partial(self.norm.build, self.width),
            cross=cross,
            pre_norm=self.pre_norm,
            dropout=self.dropout,
        )

    def pruned_heads(self, layers: range, kind: str) -> tuple[int, ...]:
        """The heads that were taken out of the layers that one block serves."""
        first, *others = [sorted(set(self.pruned.get(f"{layer}.{kind}", ()))) for layer in layers]
        if any(other != first for other in others):
            raise ShapeError(
                f"layers {layers[0]} to {layers[-1]} are one block: the same heads are taken out of all, or none"
            )
        return tuple(first)


@dataclass(frozen=True)
class OutputConfig:
    """How words are scored. `transform` names the activation of a last dense layer."""

    tied: bool = True
    bias: bool = False
    scale: float = 1.0
    transform: str | None = None

    def build(self, words: Embedding, width: int, norm: NormConfig) -> Output:
        own = words.table.embedding_dim
        inner = own if self.tied or self.transform else width
        transform = None if self.transform is None else Transform(width, inner, self.transform, norm.build(inner))
        return Output(
            inner if transform else width,
            words.table.num_embeddings,
            tied=words.table if self.tied else None,
            bias=self.bias,
            scale=self.scale,
            transform=transform,
        )


@dataclass(frozen=True)
class ClassificationHeadConfig:
    """A score per label, for a text or for each token (`pool=None`)."""

    labels: int
    pool: Literal["first", "last", "mean"] | None = "first"
    activation: str | None = None
    bias: bool = True
    dropout: float = 0.0

    def build(self, width: int) -> ClassificationHead:
        return ClassificationHead(
            width, self.labels, pool=self.pool, activation=self.activation, bias=self.bias, dropout=self.dropout
        )


@dataclass(frozen=True)
class EmbeddedStackConfig:
    """Tokens in, vectors out: words, positions and a stack."""

    embedding: EmbeddingConfig
    stack: StackConfig
    position: PositionConfig = PositionConfig()
