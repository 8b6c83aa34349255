"""A model as the engine holds it: weights in the order in which they are read."""

import ctypes
import math
import threading
import weakref
from collections.abc import Sequence
from functools import singledispatch

import torch
from torch import Tensor, nn

from regard.attention import SCORES, Dot
from regard.engine.library import NONE, AttentionSpec, LayerSpec, Library, OutputSpec, StackSpec, address
from regard.engine.parts import (
    Unsupported,
    activation_code,
    check_dropout,
    feed_forward_width,
    plain_parameter,
    plain_weight,
    rows,
)
from regard.layers import Embedding, FeedForward, Linear, MultiHead, Output, Stack, Transform, TransformerBlock
from regard.layers.norms import OffsetRMSNorm
from regard.models import Decoder, Transformer
from regard.models.embedded_stack import EmbeddedStack
from regard.positions import Alibi, LearnedPositions, Position, RelativeBuckets, Rotary, Sinusoidal

PRECISIONS = {"float32": 0, "float16": 1, "int8": 2}
FIRST_POSITIONS = 512  # positions that are written out at first, where a scheme has no end
ENCODER, DECODER = 0, 1
NORMS_KNOWN = (nn.LayerNorm, nn.RMSNorm, OffsetRMSNorm)
ADDED, ROTATED, BIASED, EVERYWHERE = 0, 1, 2, 3


class PackedModel:
    """A model's weights in the engine. What it points to is kept alive here."""

    library: Library
    precision: str
    has_source: bool
    vocabulary: int
    address: int

    def __init__(self, library: Library, model: nn.Module, precision: str) -> None:
        if type(model) not in (Transformer, Decoder):
            raise Unsupported(f"{type(model).__name__} is no model that it knows")
        assert isinstance(model, Transformer | Decoder)
        if type(model.output) is not Output:
            raise Unsupported("words are scored in another way, or not at all")
        self.library, self.precision = library, precision
        self.has_source = isinstance(model, Transformer)
        self.vocabulary = len(plain_weight(model.output))
        self.position_tables: dict[int, PositionTable] = {}
        self._extending = threading.Lock()
        self._referenced: list[object] = []
        self._linears: dict[tuple[object, ...], int] = {}
        self.address = library.check_new(library.model(PRECISIONS[precision]))
        weakref.finalize(self, library.model_free, self.address)
        if isinstance(model, Transformer):
            self._stack(ENCODER, model.encoder)
        self._stack(DECODER, model.decoder)
        self._output(model.output, model.bridge if isinstance(model, Transformer) else None)

    def ensure_positions(self, side: int, count: int) -> None:
        """Make sure that there are so many positions, whoever else wants some."""
        if side in self.position_tables and self.position_tables[side].count < count:
            with self._extending:
                if self.position_tables[side].count < count:
                    self.position_tables[side].extend(self, side, count)

    def table(self, side: int, kind: int, table: Tensor) -> None:
        if not len(table):
            raise Unsupported("a table has no rows")
        self.library.check(self.library.table(self.address, side, kind, self._pointer(table), *table.shape))

    def _pointer(self, tensor: Tensor | None) -> int | None:
        if tensor is None:
            return None
        tensor = tensor.detach().contiguous()
        self._referenced.append(tensor)
        return address("a weight", tensor, torch.float32)

    def _linear(self, layer: nn.Module | None) -> int:
        if layer is None:
            return NONE
        if not isinstance(layer, nn.Linear) or type(layer) not in (nn.Linear, Linear):
            raise Unsupported(f"{type(layer).__name__} is no plain linear layer")
        return self._product(plain_weight(layer), plain_parameter(layer, "bias"))

    def _product(self, weight: Tensor, bias: Tensor | None, scale: float = 1.0) -> int:
        """A linear layer; layers that share their weights share their place here."""
        key = (weight.data_ptr(), weight.shape, weight.stride(), None if bias is None else bias.data_ptr(), scale)
        if key not in self._linears:
            if weight.ndim != 2:
                raise Unsupported(f"the weight of a linear layer has {weight.ndim} dimensions, 2 expected")
            expect_numbers("bias", bias, len(weight))
            count = len(self._referenced)
            pointers = self._pointer(weight), self._pointer(bias)
            made = self.library.linear(self.address, *pointers, weight.shape[1], weight.shape[0], scale)
            del self._referenced[count:]  # it was copied
            self._linears[key] = self.library.check_new(made)
        return self._linears[key]

    def _norm(self, norm: nn.Module | None) -> int:
        if norm is None:
            return NONE
        if not isinstance(norm, nn.LayerNorm | nn.RMSNorm | OffsetRMSNorm) or type(norm) not in NORMS_KNOWN:
            raise Unsupported(f"{type(norm).__name__} is no norm that it knows")
        epsilon = torch.finfo(torch.float32).eps if norm.eps is None else norm.eps
        is_rms = not isinstance(norm, nn.LayerNorm)
        weight, bias = plain_parameter(norm, "weight"), None if is_rms else plain_parameter(norm, "bias")
        if isinstance(norm, OffsetRMSNorm):
            weight = 1 + plain_weight(norm)
            width = len(weight)
        else:
            width = math.prod(norm.normalized_shape)
        expect_numbers("weight", weight, width)
        expect_numbers("bias", bias, width)
        pointers = self._pointer(weight), self._pointer(bias)
        return self.library.check_new(self.library.norm(self.address, *pointers, width, is_rms, epsilon))

    def _numbers(self, numbers: Sequence[int]) -> ctypes.Array[ctypes.c_int32]:
        array = (ctypes.c_int32 * len(numbers))(*numbers)
        self._referenced.append(array)
        return array

    def _stack(self, which: int, embedded: EmbeddedStack) -> None:
        if (
            type(embedded) is not EmbeddedStack
            or type(embedded.embedding) is not Embedding
            or type(embedded.stack) is not Stack
        ):
            raise Unsupported("a part of the model is not one of ours")
        embedding, stack = embedded.embedding, embedded.stack
        for block in stack.blocks:
            if type(block) is not TransformerBlock or type(block.feed_forward) is not FeedForward:
                raise Unsupported(f"{type(block).__name__} is not a block that it knows")
            if not block.is_residual:
                raise Unsupported("a part's output is not added to the stream")
            if block.output_norm or block.is_parallel:
                raise Unsupported("parts of a block are normalised or added in another order than it knows")
            check_dropout(block, block.feed_forward)
        if embedded.local_position is not None or stack.global_layers:
            raise Unsupported("layers differ in what they see")
        if embedded.distances is not None:
            raise Unsupported("distances are compared with content")
        check_dropout(embedding)
        if not len(stack.blocks):
            raise Unsupported("it has no blocks")
        first = stack.blocks[0]
        assert isinstance(first, TransformerBlock)
        feed_forward = first.feed_forward
        assert isinstance(feed_forward, FeedForward)
        table = rows(embedding.table)
        spec = StackSpec(
            width=first.self.width,
            feed_forward_width=feed_forward_width(feed_forward),
            activation=activation_code(feed_forward.activation),
            is_gated=feed_forward.gated,
            pre_norm=first.pre_norm,
            window=embedded.window or 0,
            vocabulary=table.shape[0],
            embedding_width=table.shape[1],
            embedding_norm=self._norm(embedding.norm),
            embedding_widen=self._linear(embedding.widen),
            final_norm=self._norm(stack.norm),
            rotates_neighbours=isinstance(embedded.position, Rotary) and embedded.position.pairing == "neighbours",
            scale=embedding.scale,
            embedding=self._pointer(table),
        )
        self.library.check(self.library.stack(self.address, which, ctypes.byref(spec)))
        if embedding.segments is not None:
            self.table(which, EVERYWHERE, rows(embedding.segments)[:1])
        if type(embedded.position) not in (Position, *set_position.registry):
            raise Unsupported(f"{type(embedded.position).__name__} is no position scheme that it knows")
        set_position(embedded.position, self, which)
        for block in stack.blocks:
            assert isinstance(block, TransformerBlock)
            self._layer(which, block, feed_forward, first.pre_norm)

    def _layer(self, which: int, block: TransformerBlock, like: FeedForward, pre_norm: bool) -> None:
        feed_forward = block.feed_forward
        assert isinstance(feed_forward, FeedForward)
        shape = (
            feed_forward_width(feed_forward),
            feed_forward.gated,
            activation_code(feed_forward.activation),
            block.pre_norm,
        )
        if shape != (feed_forward_width(like), like.gated, activation_code(like.activation), pre_norm):
            raise Unsupported("blocks differ in kind")
        spec = LayerSpec(
            self=self._attention(block.self),
            crosses=block.cross is not None,
            widen=self._linear(feed_forward.widen),
            narrow=self._linear(feed_forward.narrow),
            self_norm=self._norm(block.self_norm),
            cross_norm=self._norm(block.cross_norm),
            feed_forward_norm=self._norm(block.feed_forward_norm),
        )
        if block.cross is not None:
            spec.cross = self._attention(block.cross)
        self.library.check(self.library.layer(self.address, which, ctypes.byref(spec)))

    def _attention(self, layer: MultiHead) -> AttentionSpec:
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
        kv_head_of = layer.kv_head_of or [head * kv_heads // heads for head in range(heads)]
        return AttentionSpec(
            qkv=self._linear(layer.query if layer.crosses else layer.qkv),
            kv=self._linear(layer.kv) if layer.crosses else NONE,
            output=self._linear(layer.output),
            heads=heads,
            kv_heads=kv_heads,
            width=split.width,
            scale=score.factor(split.width),
            kv_head_of=self._numbers(kv_head_of),
            numbers=self._numbers(split.remaining_heads),
        )

    def _output(self, output: Output, bridge: nn.Linear | None) -> None:
        transform = output.transform
        if type(transform) not in (type(None), Transform):
            raise Unsupported("words are scored in another way")
        if output.cap is not None:
            raise Unsupported("scores of words are capped")
        spec = OutputSpec(
            bridge=self._linear(bridge),
            dense=self._linear(transform.dense) if transform else NONE,
            dense_activation=activation_code(transform.activation) if transform else 0,
            dense_norm=self._norm(transform.norm) if transform else NONE,
            output=self._product(plain_weight(output), plain_parameter(output, "bias"), output.scale),
            has_source=self.has_source,
        )
        self.library.check(self.library.output(self.address, ctypes.byref(spec)))


def expect_numbers(name: str, tensor: Tensor | None, count: int) -> None:
    """Raise Unsupported unless a tensor, if there is one, has as many numbers as will be read."""
    if tensor is not None and tensor.numel() != count:
        raise Unsupported(f"a {name} has {tensor.numel()} numbers, {count} expected")


class PositionTable:
    """A table of positions that is written out as far as it is needed."""

    kind: int
    position: Sinusoidal | Rotary
    count: int

    def __init__(self, kind: int, position: Sinusoidal | Rotary) -> None:
        self.kind, self.position, self.count = kind, position, 0

    def extend(self, packed: PackedModel, side: int, least: int) -> None:
        count = max(FIRST_POSITIONS, 2 * self.count, least)
        table = rotations(self.position, count) if isinstance(self.position, Rotary) else waves(self.position, count)
        packed.table(side, self.kind, table)
        self.count = count


def waves(sinusoidal: Sinusoidal, count: int) -> Tensor:
    """What is added at every position."""
    zeros = torch.zeros(1, count, sinusoidal.width, dtype=torch.float32, device="cpu")
    return sinusoidal.embed(zeros, torch.arange(count, device="cpu")[None])[0]


def rotations(rotary: Rotary, count: int) -> Tensor:
    """Cosines, then sines, of every position."""
    angles = torch.arange(count, device="cpu")[:, None] * rotary.rates(torch.device("cpu"))
    return torch.cat([angles.cos(), angles.sin()], -1)


@singledispatch
def set_position(position: Position, packed: PackedModel, side: int) -> None:
    """Tell the engine where order enters: nowhere."""


@set_position.register
def _(position: Sinusoidal, packed: PackedModel, side: int) -> None:
    packed.position_tables[side] = PositionTable(ADDED, position)
    packed.ensure_positions(side, FIRST_POSITIONS)


@set_position.register
def _(position: LearnedPositions, packed: PackedModel, side: int) -> None:
    packed.table(side, ADDED, rows(position.table)[position.offset :])


@set_position.register
def _(position: Rotary, packed: PackedModel, side: int) -> None:
    if position.rotary_width != position.width:
        raise Unsupported("only a part of each head is turned by its position")
    packed.position_tables[side] = PositionTable(ROTATED, position)
    packed.ensure_positions(side, FIRST_POSITIONS)


@set_position.register
def _(position: RelativeBuckets, packed: PackedModel, side: int) -> None:
    rows(position.table)
    packed.table(side, BIASED, position.bias().line.detach())


@set_position.register
def _(position: Alibi, packed: PackedModel, side: int) -> None:
    slopes = position.slopes.float().contiguous()
    numbers = address("slopes", slopes, torch.float32)
    packed.library.check(packed.library.slopes(packed.address, side, numbers, len(slopes)))
