"""Parts of models, out of their configs."""

from collections.abc import Collection
from functools import partial

from torch import nn

from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS, AttentionMethod
from regard.attention.scores import LearnedScore
from regard.config import (
    AttentionConfig,
    AttentionMethodConfig,
    ClassificationHeadConfig,
    DistanceConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    HeadSplit,
    NormConfig,
    OutputConfig,
    PositionConfig,
    ScoreConfig,
    StackConfig,
)
from regard.config.value_types import check_settings
from regard.errors import ShapeError, lookup
from regard.layers import (
    NORMS,
    ClassificationHead,
    DistanceVectors,
    Embedding,
    FeedForward,
    MixtureOfExperts,
    MultiHead,
    NoNorm,
    Output,
    QueryKeyNorm,
    Stack,
    Transform,
    TransformerBlock,
)
from regard.positions import POSITIONS, Position


def build_norm(config: NormConfig, width: int) -> nn.Module:
    return lookup(NORMS, config.kind, "norm")(width, eps=config.epsilon)


def build_embedding(config: EmbeddingConfig, width: int, norm: NormConfig) -> Embedding:
    return Embedding(
        config.vocabulary,
        width,
        embedding_width=config.embedding_width,
        segments=config.segments,
        norm=build_norm(norm, config.embedding_width or width) if config.norm else None,
        scale=config.scale,
        dropout=config.dropout,
    )


def build_position(config: PositionConfig) -> Position:
    scheme = lookup(POSITIONS, config.kind, "position scheme")
    check_settings(scheme, config.settings, f"position scheme {config.kind!r}")
    return scheme(**config.settings)


def build_distances(config: DistanceConfig, width: int, norm: NormConfig) -> DistanceVectors:
    return DistanceVectors(config.buckets, config.reach, width, build_norm(norm, width) if config.norm else None)


def build_score(config: ScoreConfig, heads: int, head_width: int) -> LearnedScore:
    score = lookup(SCORES, config.kind, "score")
    check_settings(score, config.settings, f"score {config.kind!r}", filled=2)
    return score(heads, head_width, **config.settings)


def build_method(config: AttentionMethodConfig) -> AttentionMethod:
    method = lookup(ATTENTION_METHODS, config.kind, "attention method")
    check_settings(method, config.settings, f"attention method {config.kind!r}")
    return method(**config.settings)


def build_query_key_norm(
    config: AttentionConfig, split: HeadSplit, norm: NormConfig, pruned_heads: Collection[int]
) -> QueryKeyNorm | None:
    if config.qk_norm is None:
        return None
    is_joint = config.qk_norm == "all"
    if is_joint and pruned_heads:
        raise ShapeError("queries of all heads are normalised together: none can be taken out")
    return QueryKeyNorm(partial(build_norm, norm), split.width, split.heads, split.kv_heads, is_joint=is_joint)


def build_attention(
    config: AttentionConfig,
    width: int,
    pruned_heads: Collection[int] = (),
    source_width: int | None = None,
    norm: NormConfig = NormConfig(),
) -> MultiHead:
    split = config.split(width, pruned_heads)
    score = None if config.scale is None else SCORES["dot"](split.heads, split.width, config.scale)
    if config.score is not None and (
        source_width is None or not lookup(SCORES, config.score.kind, "score").is_relative
    ):
        score = build_score(config.score, len(split.remaining_heads), split.width)
    layer = MultiHead(
        width,
        split,
        source_width=source_width,
        bias=config.bias,
        output_bias=config.output_bias,
        score=score,
        method=None if config.method is None or source_width is not None else build_method(config.method),
        query_key_norm=build_query_key_norm(config, split, norm, pruned_heads),
        dropout=config.dropout,
    )
    return layer if config.key_bias or not config.bias else layer.drop_key_bias()


def build_feed_forward(config: FeedForwardConfig, width: int) -> FeedForward | MixtureOfExperts | None:
    if not config.width:
        return None
    layer = partial(
        FeedForward,
        width,
        config.width,
        config.activation,
        gated=config.gated,
        bias=config.bias,
        dropout=config.dropout,
    )
    return MixtureOfExperts(width, layer, config.experts, config.experts_per_token) if config.experts else layer()


def build_stack(config: StackConfig, source_width: int | None = None) -> Stack:
    blocks = [
        block for layers in config.shared() for block in [build_block(config, layers, source_width)] * len(layers)
    ]
    return Stack(blocks, build_norm(config.norm, config.width) if config.final_norm else None, config.global_layers)


def build_block(config: StackConfig, layers: range, source_width: int | None) -> TransformerBlock:
    """The block that serves these layers."""
    attention, width, norm = config.attention, config.width, config.norm
    cross = None
    if source_width is not None:
        cross = build_attention(attention, width, config.pruned_heads(layers, "cross"), source_width, norm)
    block = TransformerBlock(
        build_attention(attention, width, config.pruned_heads(layers, "self"), norm=norm),
        build_feed_forward(config.feed_forward, config.width),
        partial(build_norm, config.norm, config.width),
        cross=cross,
        pre_norm=config.pre_norm,
        is_residual=config.residual,
        output_norm=config.output_norm,
        is_parallel=config.parallel,
        dropout=config.dropout,
    )
    if 0 in layers and not config.first_norm:
        block.self_norm = NoNorm(width)
    return block


def build_output(config: OutputConfig, words: Embedding, width: int, norm: NormConfig) -> Output:
    own = words.table.embedding_dim
    inner = own if config.tied or config.transform else width
    transform = None
    if config.transform is not None:
        transform = Transform(width, inner, config.transform, build_norm(norm, inner), bias=config.transform_bias)
    return Output(
        inner if transform else width,
        words.table.num_embeddings,
        tied=words.table if config.tied else None,
        bias=config.bias,
        scale=config.scale,
        transform=transform,
        cap=config.cap,
    )


def build_classification_head(config: ClassificationHeadConfig, width: int) -> ClassificationHead:
    return ClassificationHead(
        width,
        config.labels,
        pool=config.pool,
        activation=config.activation,
        bias=config.bias,
        dropout=config.dropout,
        dense_bias=config.dense_bias,
        norm=None if config.norm is None else build_norm(config.norm, width),
    )
