"""A model of torch as the engine reads it; what is not what it seems is told as Unsupported."""

import math
from dataclasses import dataclass
from functools import partial, singledispatch

import numpy as np
import torch
from torch import Tensor, nn

from regard.attention import SCORES, Dot
from regard.engine import positions
from regard.engine.parts import (
    ACTIVATIONS,
    AttentionPart,
    BlockPart,
    EngineParts,
    LinearPart,
    NormPart,
    OutputPart,
    PositionPart,
    StackPart,
    Unsupported,
)
from regard.layers import Embedding, FeedForward, Linear, MultiHead, Output, Stack, Transform, TransformerBlock
from regard.layers import feedforward as layer_activations
from regard.layers.norms import OffsetRMSNorm
from regard.models import Decoder, Transformer
from regard.models.embedded_stack import EmbeddedStack
from regard.positions import Alibi, LearnedPositions, Position, RelativeBuckets, Rotary, Sinusoidal

NORMS_KNOWN = (nn.LayerNorm, nn.RMSNorm, OffsetRMSNorm)


@dataclass(frozen=True, eq=False)
class TensorWeight:
    """A tensor's numbers, where they are."""

    tensor: Tensor

    @property
    def key(self) -> tuple[object, ...]:
        return (self.tensor.data_ptr(), self.tensor.shape, self.tensor.stride())

    def array(self) -> np.ndarray:
        tensor = self.tensor.detach()
        if tensor.dtype != torch.float32 or not tensor.is_cpu:
            raise Unsupported(f"a weight is {tensor.dtype} on {tensor.device}: torch.float32 on cpu expected")
        return tensor.contiguous().numpy()


def module_parts(model: nn.Module) -> EngineParts:
    """All that the engine has to know of a model. Raises Unsupported where it cannot run it."""
    if type(model) not in (Transformer, Decoder):
        raise Unsupported(f"{type(model).__name__} is no model that it knows")
    assert isinstance(model, Transformer | Decoder)
    if type(model.output) is not Output:
        raise Unsupported("words are scored in another way, or not at all")
    encoder = stack_part(model.encoder) if isinstance(model, Transformer) else None
    bridge = model.bridge if isinstance(model, Transformer) else None
    return EngineParts(encoder, stack_part(model.decoder), output_part(model.output, bridge))


def plain_parameter(module: nn.Module, name: str) -> TensorWeight | None:
    """A parameter, or None; what is computed anew each time, or hidden behind another name, is nothing to pack."""
    if name not in module._parameters and vars(module).get(name, ...) is not None:
        raise Unsupported(f"the {name} of a {type(module).__name__} is no parameter of it")
    parameter = module._parameters.get(name)
    return None if parameter is None else TensorWeight(parameter)


def plain_weight(module: nn.Module) -> TensorWeight:
    """The weight of a part that has one."""
    weight = plain_parameter(module, "weight")
    if weight is None:
        raise Unsupported(f"a {type(module).__name__} has no weight")
    return weight


def rows(table: nn.Module) -> TensorWeight:
    """The vectors of an embedding, if it is a plain one."""
    if not isinstance(table, nn.Embedding) or type(table) is not nn.Embedding or table.max_norm is not None:
        raise Unsupported(f"{type(table).__name__} is no plain table")
    return plain_weight(table)


def linear_part(layer: nn.Module) -> LinearPart:
    if not isinstance(layer, nn.Linear) or type(layer) not in (nn.Linear, Linear):
        raise Unsupported(f"{type(layer).__name__} is no plain linear layer")
    return LinearPart(plain_weight(layer), plain_parameter(layer, "bias"))


def norm_part(norm: nn.Module) -> NormPart:
    if not isinstance(norm, nn.LayerNorm | nn.RMSNorm | OffsetRMSNorm) or type(norm) not in NORMS_KNOWN:
        raise Unsupported(f"{type(norm).__name__} is no norm that it knows")
    epsilon = torch.finfo(torch.float32).eps if norm.eps is None else norm.eps
    is_rms, is_offset = not isinstance(norm, nn.LayerNorm), isinstance(norm, OffsetRMSNorm)
    weight, bias = plain_parameter(norm, "weight"), None if is_rms else plain_parameter(norm, "bias")
    if isinstance(norm, OffsetRMSNorm):
        width = len(plain_weight(norm).tensor)
    else:
        width = math.prod(norm.normalized_shape)
    return NormPart(weight, bias, width, is_rms, epsilon, is_offset)


def check_dropout(*modules: nn.Module) -> None:
    for module in modules:
        if not isinstance(module.dropout, nn.Dropout | nn.Identity):
            raise Unsupported(f"{type(module.dropout).__name__} is no dropout")


def activation_code(activation: object) -> int:
    """The engine's number of an activation."""
    for name, function in layer_activations.ACTIVATIONS.items():
        if name in ACTIVATIONS and is_same(activation, function):
            return ACTIVATIONS[name]
    raise Unsupported("an activation is not one that it knows")


def is_same(one: object, other: object) -> bool:
    """Whether two functions are one; the copy of a model has its partial ones copied, too."""
    if isinstance(one, partial) and isinstance(other, partial):
        return (one.func, one.args, one.keywords) == (other.func, other.args, other.keywords)
    return one is other


def feed_forward_of(block: nn.Module) -> FeedForward:
    """The feed-forward layer of a block that the engine knows."""
    if type(block) is not TransformerBlock or type(block.feed_forward) is not FeedForward:
        raise Unsupported(f"{type(block).__name__} is not a block that it knows")
    if not block.is_residual:
        raise Unsupported("a part's output is not added to the stream")
    if block.output_norm or block.is_parallel:
        raise Unsupported("parts of a block are normalised or added in another order than it knows")
    check_dropout(block, block.feed_forward)
    return block.feed_forward


def feed_forward_width(feed_forward: FeedForward) -> int:
    """How many numbers stand between widening and narrowing."""
    if not isinstance(feed_forward.narrow, nn.Linear):
        raise Unsupported(f"{type(feed_forward.narrow).__name__} is no plain linear layer")
    return feed_forward.narrow.in_features


def block_kind(block: TransformerBlock, feed_forward: FeedForward) -> tuple[int, int, bool, bool]:
    """What has to be the same in all blocks of a stack."""
    activation = activation_code(feed_forward.activation)
    return feed_forward_width(feed_forward), activation, feed_forward.gated, block.pre_norm


def stack_part(embedded: EmbeddedStack) -> StackPart:
    if (
        type(embedded) is not EmbeddedStack
        or type(embedded.embedding) is not Embedding
        or type(embedded.stack) is not Stack
    ):
        raise Unsupported("a part of the model is not one of ours")
    embedding, stack = embedded.embedding, embedded.stack
    feed_forwards = [feed_forward_of(block) for block in stack.blocks]
    if embedded.local_position is not None or stack.global_layers:
        raise Unsupported("layers differ in what they see")
    if embedded.distances is not None:
        raise Unsupported("distances are compared with content")
    check_dropout(embedding)
    if not len(stack.blocks):
        raise Unsupported("it has no blocks")
    blocks = [block for block in stack.blocks if isinstance(block, TransformerBlock)]
    kind, *others = [block_kind(*pair) for pair in zip(blocks, feed_forwards, strict=True)]
    if any(other != kind for other in others):
        raise Unsupported("blocks differ in kind")
    width, activation, is_gated, pre_norm = kind
    if type(embedded.position) not in (Position, *position_part.registry):
        raise Unsupported(f"{type(embedded.position).__name__} is no position scheme that it knows")
    return StackPart(
        table=rows(embedding.table),
        scale=embedding.scale,
        segments=None if embedding.segments is None else rows(embedding.segments),
        embedding_norm=None if embedding.norm is None else norm_part(embedding.norm),
        embedding_widen=None if embedding.widen is None else linear_part(embedding.widen),
        position=position_part(embedded.position),
        width=blocks[0].self.width,
        feed_forward_width=width,
        activation=activation,
        is_gated=is_gated,
        pre_norm=pre_norm,
        window=embedded.window or 0,
        final_norm=None if stack.norm is None else norm_part(stack.norm),
        blocks=[block_part(*pair) for pair in zip(blocks, feed_forwards, strict=True)],
    )


def block_part(block: TransformerBlock, feed_forward: FeedForward) -> BlockPart:
    if block.feed_forward_norm is None:
        raise Unsupported("a feed-forward layer has no norm")
    return BlockPart(
        self=attention_part(block.self),
        self_norm=norm_part(block.self_norm),
        cross=None if block.cross is None else attention_part(block.cross),
        cross_norm=None if block.cross_norm is None else norm_part(block.cross_norm),
        widen=linear_part(feed_forward.widen),
        narrow=linear_part(feed_forward.narrow),
        feed_forward_norm=norm_part(block.feed_forward_norm),
    )


def attention_part(layer: MultiHead) -> AttentionPart:
    if type(layer) is not MultiHead:
        raise Unsupported(f"{type(layer).__name__} is no attention layer that it knows")
    if layer.method is not None:
        raise Unsupported(f"{layer.method.name} compares fewer pairs than all")
    if layer.query_key_norm is not None:
        raise Unsupported("queries and keys are normalised before they are compared")
    split = layer.split
    if split.value_width != split.width:
        raise Unsupported(f"values of {split.value_width} numbers in a head beside keys of {split.width}")
    score = Dot() if layer.score is None else layer.score.score(1, 1)
    if type(layer.score) not in (type(None), SCORES["dot"]) or not isinstance(score, Dot):
        raise Unsupported(f"{type(layer.score).__name__} is not the dot product")
    heads, kv_heads = len(split.remaining_heads), len(split.remaining_kv_heads)
    return AttentionPart(
        qkv=linear_part(layer.query if layer.crosses else layer.qkv),
        kv=linear_part(layer.kv) if layer.crosses else None,
        output=linear_part(layer.output),
        heads=heads,
        kv_heads=kv_heads,
        width=split.width,
        scale=score.factor(split.width),
        kv_head_of=layer.kv_head_of or [head * kv_heads // heads for head in range(heads)],
        numbers=split.remaining_heads,
    )


def output_part(output: Output, bridge: nn.Linear | None) -> OutputPart:
    transform = output.transform
    if type(transform) not in (type(None), Transform):
        raise Unsupported("words are scored in another way")
    if output.cap is not None:
        raise Unsupported("scores of words are capped")
    return OutputPart(
        output=LinearPart(plain_weight(output), plain_parameter(output, "bias"), output.scale),
        dense=linear_part(transform.dense) if transform else None,
        dense_activation=activation_code(transform.activation) if transform else 0,
        dense_norm=norm_part(transform.norm) if transform else None,
        bridge=None if bridge is None else linear_part(bridge),
    )


@singledispatch
def position_part(position: Position) -> PositionPart:
    """Where order enters: nowhere."""
    return PositionPart()


@position_part.register
def _(position: Sinusoidal) -> PositionPart:
    waves = positions.Waves(position.width, position.layout, position.steps, position.start)
    return PositionPart(growing=waves)


@position_part.register
def _(position: LearnedPositions) -> PositionPart:
    return PositionPart(added=rows(position.table), offset=position.offset)


@position_part.register
def _(position: Rotary) -> PositionPart:
    if position.rotary_width != position.width:
        raise Unsupported("only a part of each head is turned by its position")
    rotations = positions.Rotations(position.width, position.base, position.scaling)
    return PositionPart(growing=rotations, rotates_neighbours=position.pairing == "neighbours")


@position_part.register
def _(position: RelativeBuckets) -> PositionPart:
    rows(position.table)
    return PositionPart(bias=TensorWeight(position.bias().line).array())


@position_part.register
def _(position: Alibi) -> PositionPart:
    return PositionPart(slopes=position.slopes.float().contiguous().numpy())
