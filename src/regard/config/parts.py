"""What a model is made of, as plain data: each config mirrors a part in layers/, and models/parts.py builds it."""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any, Literal

from regard.config.head_split import HeadSplit
from regard.config.ranges import (
    BUCKETS,
    EPSILON,
    EXPERTS,
    HEADS,
    LABELS,
    LAYERS,
    OPTIONAL_FEED_FORWARD,
    POSITIONS,
    SCALE,
    SEGMENTS,
    SHARE,
    SHARPNESS,
    STACK_LAYERS,
    VOCABULARY,
    WIDTH,
)
from regard.errors import ShapeError


@dataclass(frozen=True)
class NormConfig:
    """Which norm, and what keeps it from dividing by zero."""

    kind: str = "layer"
    epsilon: Annotated[float, EPSILON] = 1e-5


@dataclass(frozen=True)
class EmbeddingConfig:
    """The table of words, and what is added to them."""

    vocabulary: Annotated[int, VOCABULARY]
    embedding_width: Annotated[int, WIDTH] | None = None
    segments: Annotated[int, SEGMENTS] = 0
    norm: bool = False
    scale: Annotated[float, SCALE] = 1.0
    dropout: Annotated[float, SHARE] = 0.0


@dataclass(frozen=True)
class PositionConfig:
    """Which scheme, and its settings."""

    kind: str = "none"
    settings: dict[str, Any] = field(default_factory=dict)  # as JSON and TOML have them


@dataclass(frozen=True)
class DistanceConfig:
    """A vector for every bucket of distances, which all layers compare with queries and keys (DeBERTa): so many buckets
    for keys before the query and as many behind it, of distances up to `reach`; with or without a norm."""

    buckets: Annotated[int, BUCKETS]
    reach: Annotated[int, POSITIONS]
    norm: bool = True


@dataclass(frozen=True)
class ScoreConfig:
    """Which score, by its name in SCORES, and its settings."""

    kind: str = "dot"
    settings: dict[str, Any] = field(default_factory=dict)  # as JSON and TOML have them


@dataclass(frozen=True)
class AttentionMethodConfig:
    """Which way to compare fewer pairs, by its name in ATTENTION_METHODS, and its settings."""

    kind: str
    settings: dict[str, Any] = field(default_factory=dict)  # as JSON and TOML have them


@dataclass(frozen=True)
class AttentionConfig:
    """How a layer attends. `scale` is the dot product's, 1/√(head width) unless given; `score` is another score, and
    `method` another way than comparing every pair. Attention to a source has no method, and no score of distances.
    `value_width` are the numbers of a value in a head, as many as of a key unless given. `qk_norm`: queries and keys
    are normalised before they are compared, each `head` alone (Qwen 3) or `all` heads together (OLMo 2). Without
    `key_bias` queries and values have a bias and keys have none (Whisper).
    """

    heads: Annotated[int, HEADS]
    head_width: Annotated[int, WIDTH] | None = None
    kv_heads: Annotated[int, HEADS] | None = None
    bias: bool = True
    output_bias: bool | None = None
    scale: Annotated[float, SCALE] | None = None
    dropout: Annotated[float, SHARE] = 0.0
    score: ScoreConfig | None = None
    method: AttentionMethodConfig | None = None
    value_width: Annotated[int, WIDTH] | None = None
    qk_norm: Literal["head", "all"] | None = None
    key_bias: bool = True

    def split(self, width: int, pruned_heads: Collection[int] = ()) -> HeadSplit:
        """How a stream of this width is split into heads, some of which may have been taken out."""
        remaining = tuple(head for head in range(self.heads) if head not in pruned_heads) if pruned_heads else None
        return HeadSplit.of(
            width,
            self.heads,
            head_width=self.head_width,
            kv_heads=self.kv_heads,
            remaining_heads=remaining,
            value_width=self.value_width,
        )


@dataclass(frozen=True)
class FeedForwardConfig:
    """The feed-forward layer; a width of 0: there is none. With `experts` there are so many of it, and each token goes
    to `experts_per_token` of them (Mixtral)."""

    width: Annotated[int, OPTIONAL_FEED_FORWARD]
    activation: str = "relu"
    gated: bool = False
    bias: bool = True
    dropout: Annotated[float, SHARE] = 0.0
    experts: Annotated[int, EXPERTS] = 0
    experts_per_token: Annotated[int, EXPERTS] = 2

    def __post_init__(self) -> None:
        if self.experts and not 1 <= self.experts_per_token <= self.experts:
            raise ShapeError(
                f"a token goes to 1 to {self.experts} experts, all that there are, got {self.experts_per_token}"
            )


@dataclass(frozen=True)
class StackConfig:
    """Blocks on top of each other.

    `distinct` blocks are made and repeated over the depth (ALBERT); all of them unless given. `pruned` names the
    heads that were taken out, by layer within the stack: {"0.self": [1, 3]}; alike for all layers of one block. Without
    `residual` a part's output takes the place of the stream, to which it is added otherwise. With `output_norm` it is
    normalised before it is added: beside what goes in (`pre_norm`: Gemma 2), or instead of the sum (OLMo 2).
    `parallel`: attention and the feed-forward layer read the same stream, and both are added to it (GPT-NeoX). Without
    `first_norm` the first layer attends to what it is given as it is (ModernBERT). `window` is what a token sees of its
    text, but for `global_layers`, which see all of it.
    """

    layers: Annotated[int, STACK_LAYERS]
    width: Annotated[int, WIDTH]
    attention: AttentionConfig
    feed_forward: FeedForwardConfig
    norm: NormConfig = NormConfig()
    pre_norm: bool = True
    final_norm: bool = True
    residual: bool = True
    output_norm: bool = False
    parallel: bool = False
    first_norm: bool = True
    window: Annotated[int, POSITIONS] | None = None
    global_layers: list[int] = field(default_factory=list)
    distinct: Annotated[int, LAYERS] | None = None
    pruned: dict[str, list[int]] = field(default_factory=dict)
    dropout: Annotated[float, SHARE] = 0.0

    def shared(self) -> list[range]:
        """The layers that each block serves."""
        blocks = self.layers if self.distinct is None else min(self.distinct, self.layers)
        firsts = [-(-block * self.layers // blocks) for block in range(blocks)] + [self.layers]
        return [range(first, last) for first, last in pairwise(firsts)]

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
    """How words are scored. `transform` names the activation of a last dense layer. Scores stay between -`cap` and
    `cap`, where there is one (Gemma 2)."""

    tied: bool = True
    bias: bool = False
    scale: Annotated[float, SCALE] = 1.0
    transform: str | None = None
    transform_bias: bool = True
    cap: Annotated[float, SHARPNESS] | None = None


@dataclass(frozen=True)
class ClassificationHeadConfig:
    """A score per label, for a text or for each token (`pool=None`).

    `activation` names that of a dense layer in between, which may go without a bias and have a `norm` behind it.
    """

    labels: Annotated[int, LABELS]
    pool: Literal["first", "last", "mean"] | None = "first"
    activation: str | None = None
    bias: bool = True
    dropout: Annotated[float, SHARE] = 0.0
    dense_bias: bool = True
    norm: NormConfig | None = None


@dataclass(frozen=True)
class EmbeddedStackConfig:
    """Tokens in, vectors out: words, positions and a stack. Layers with a window may have a `local_position` of their
    own (Gemma 3); `distances` are vectors that are compared with content (DeBERTa)."""

    embedding: EmbeddingConfig
    stack: StackConfig
    position: PositionConfig = PositionConfig()
    local_position: PositionConfig | None = None
    distances: DistanceConfig | None = None


@dataclass(frozen=True)
class FeatureStackConfig:
    """Frames of sound in, vectors out: two convolutions, positions and a stack (Whisper).

    A frame is `features` numbers; two frames become one vector, so that at most 2 x `max_positions` frames are read.
    """

    features: Annotated[int, WIDTH]
    max_positions: Annotated[int, POSITIONS]
    stack: StackConfig
    dropout: Annotated[float, SHARE] = 0.0
