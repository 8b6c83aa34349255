"""A model as the engine holds it: weights in the order in which they are read."""

import ctypes
import math
import weakref
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import SCORES, Dot
from regard.engine.library import NONE, AttentionSpec, LayerSpec, Library, OutputSpec, StackSpec
from regard.engine.parts import Unsupported, bend_of, check_dropout, inner_width, owned, rows
from regard.layers import Embedding, FeedForward, Linear, MultiHead, Output, Stack, Transform, TransformerBlock
from regard.models import Decoder, Transformer
from regard.models.side import EmbeddedStack
from regard.positions import Alibi, LearnedPositions, Position, RelativeBuckets, Rotary, Sinusoidal

PRECISIONS = {"float32": 0, "float16": 1, "int8": 2}
PLACES = 512  # places that are written out at first, where a scheme has no end
ENCODER, DECODER = 0, 1
ADDED, TURNED, BIASED, EVERYWHERE = 0, 1, 2, 3


class Packed:
    """A model's weights in the engine. What it points to is kept alive here."""

    def __init__(self, library: Library, model: nn.Module, precision: str) -> None:
        if type(model) not in (Transformer, Decoder):
            raise Unsupported(f"{type(model).__name__} is no model that it knows")
        assert isinstance(model, Transformer | Decoder)
        if type(model.output) is not Output:
            raise Unsupported("words are scored in another way, or not at all")
        self.library, self.precision = library, precision
        self.has_source = isinstance(model, Transformer)
        self.vocabulary = len(owned(model.output, "weight"))
        self.places: dict[int, Endless] = {}
        self._kept: list[Any] = []
        self._linears: dict[tuple[Any, ...], int] = {}
        self.address = library.made(library.model(PRECISIONS[precision]))
        weakref.finalize(self, library.model_free, self.address)
        if isinstance(model, Transformer):
            self._side(ENCODER, model.encoder)
        self._side(DECODER, model.decoder)
        self._output(model.output, model.bridge if isinstance(model, Transformer) else None)

    def reach(self, side: int, places: int) -> None:
        """Make sure that there are so many places."""
        if side in self.places and self.places[side].count < places:
            self.places[side].extend(self, side, places)

    def table(self, side: int, kind: int, table: Tensor) -> None:
        self.library.table(self.address, side, kind, self._pointer(table), *table.shape)

    def _pointer(self, tensor: Tensor | None) -> int | None:
        if tensor is None:
            return None
        if tensor.dtype != torch.float32 or tensor.device.type != "cpu":
            raise Unsupported(f"numbers are {tensor.dtype} on {tensor.device}, not float32 on the processor")
        tensor = tensor.detach().contiguous()
        self._kept.append(tensor)
        return tensor.data_ptr()

    def _linear(self, layer: nn.Module | None) -> int:
        if layer is None:
            return NONE
        if not isinstance(layer, nn.Linear) or type(layer) not in (nn.Linear, Linear):
            raise Unsupported(f"{type(layer).__name__} is no plain linear layer")
        return self._product(owned(layer, "weight"), owned(layer, "bias"))

    def _product(self, weight: Tensor, bias: Tensor | None, scale: float = 1.0) -> int:
        """A linear layer; layers that share their weights share their place here."""
        key = (weight.data_ptr(), weight.shape, weight.stride(), None if bias is None else bias.data_ptr(), scale)
        if key not in self._linears:
            count = len(self._kept)
            pointers = self._pointer(weight), self._pointer(bias)
            made = self.library.linear(self.address, *pointers, weight.shape[1], weight.shape[0], scale)
            del self._kept[count:]  # it was copied
            self._linears[key] = self.library.made(made)
        return self._linears[key]

    def _norm(self, norm: nn.Module | None) -> int:
        if norm is None:
            return NONE
        if not isinstance(norm, nn.LayerNorm | nn.RMSNorm) or type(norm) not in (nn.LayerNorm, nn.RMSNorm):
            raise Unsupported(f"{type(norm).__name__} is no norm that it knows")
        epsilon = torch.finfo(torch.float32).eps if norm.eps is None else norm.eps
        is_rms = isinstance(norm, nn.RMSNorm)
        pointers = self._pointer(owned(norm, "weight")), None if is_rms else self._pointer(owned(norm, "bias"))
        width = math.prod(norm.normalized_shape)
        return self.library.made(self.library.norm(self.address, *pointers, width, is_rms, epsilon))

    def _numbers(self, numbers: Sequence[int]) -> Any:
        array = (ctypes.c_int32 * len(numbers))(*numbers)
        self._kept.append(array)
        return array

    def _side(self, which: int, side: EmbeddedStack) -> None:
        if type(side) is not EmbeddedStack or type(side.embedding) is not Embedding or type(side.stack) is not Stack:
            raise Unsupported("a part of the model is not one of ours")
        words, stack = side.embedding, side.stack
        for block in stack.blocks:
            if type(block) is not TransformerBlock or type(block.feed_forward) is not FeedForward:
                raise Unsupported(f"{type(block).__name__} is not a block that it knows")
            check_dropout(block, block.feed_forward)
        check_dropout(words)
        if not len(stack.blocks):
            raise Unsupported("it has no blocks")
        first = stack.blocks[0]
        assert isinstance(first, TransformerBlock)
        inner = first.feed_forward
        table = rows(words.table)
        given = StackSpec(
            width=first.self.width,
            inner=inner_width(inner),
            bend=bend_of(inner.activation),
            is_gated=inner.gated,
            is_first=first.pre_norm,
            window=side.window or 0,
            vocabulary=table.shape[0],
            words_width=table.shape[1],
            words_norm=self._norm(words.norm),
            words_widen=self._linear(words.widen),
            final_norm=self._norm(stack.norm),
            turns_neighbours=isinstance(side.position, Rotary) and side.position.pairing == "neighbours",
            scale=words.scale,
            words=self._pointer(table),
        )
        self.library.check(self.library.side(self.address, which, ctypes.byref(given)))
        if words.segments is not None:
            self.table(which, EVERYWHERE, rows(words.segments)[:1])
        if type(side.position) not in (Position, *placed.registry):
            raise Unsupported(f"{type(side.position).__name__} is no position scheme that it knows")
        placed(side.position, self, which)
        for block in stack.blocks:
            assert isinstance(block, TransformerBlock)
            self._layer(which, block, inner, first.pre_norm)

    def _layer(self, which: int, block: TransformerBlock, like: FeedForward, is_first: bool) -> None:
        inner = block.feed_forward
        shape = (inner_width(inner), inner.gated, bend_of(inner.activation), block.pre_norm)
        if shape != (inner_width(like), like.gated, bend_of(like.activation), is_first):
            raise Unsupported("blocks differ in kind")
        given = LayerSpec(
            self=self._attention(block.self),
            crosses=block.cross is not None,
            widen=self._linear(inner.widen),
            narrow=self._linear(inner.narrow),
            self_norm=self._norm(block.self_norm),
            cross_norm=self._norm(block.cross_norm),
            inner_norm=self._norm(block.feed_forward_norm),
        )
        if block.cross is not None:
            given.cross = self._attention(block.cross)
        self.library.check(self.library.layer(self.address, which, ctypes.byref(given)))

    def _attention(self, layer: MultiHead) -> AttentionSpec:
        if type(layer) is not MultiHead:
            raise Unsupported(f"{type(layer).__name__} is no attention layer that it knows")
        if layer.method is not None:
            raise Unsupported(f"{layer.method.name} compares fewer pairs than all")
        split = layer.split
        score = Dot() if layer.score is None else layer.score.score(1, 1)
        if type(layer.score) not in (type(None), SCORES["dot"]) or not isinstance(score, Dot):
            raise Unsupported(f"{type(layer.score).__name__} is not the dot product")
        heads, groups = len(split.remaining_heads), len(split.remaining_kv_heads)
        serving = layer.kv_head_of or [head * groups // heads for head in range(heads)]
        return AttentionSpec(
            project=self._linear(layer.query if layer.crosses else layer.qkv),
            pair=self._linear(layer.kv) if layer.crosses else NONE,
            output=self._linear(layer.output),
            heads=heads,
            groups=groups,
            width=split.width,
            scale=score.factor(split.width),
            serving=self._numbers(serving),
            numbers=self._numbers(split.remaining_heads),
        )

    def _output(self, output: Output, bridge: nn.Linear | None) -> None:
        transform = output.transform
        if type(transform) not in (type(None), Transform):
            raise Unsupported("words are scored in another way")
        given = OutputSpec(
            bridge=self._linear(bridge),
            dense=self._linear(transform.dense) if transform else NONE,
            dense_bend=bend_of(transform.activation) if transform else 0,
            dense_norm=self._norm(transform.norm) if transform else NONE,
            output=self._product(owned(output, "weight"), owned(output, "bias"), output.scale),
            has_source=self.has_source,
        )
        self.library.check(self.library.output(self.address, ctypes.byref(given)))


class Endless:
    """A table of places that is written out as far as it is needed."""

    def __init__(self, kind: int, position: Sinusoidal | Rotary) -> None:
        self.kind, self.position, self.count = kind, position, 0

    def extend(self, packed: Packed, side: int, places: int) -> None:
        count = max(PLACES, 2 * self.count, places)
        table = turns(self.position, count) if isinstance(self.position, Rotary) else waves(self.position, count)
        packed.table(side, self.kind, table)
        self.count = count


def waves(sinusoidal: Sinusoidal, count: int) -> Tensor:
    """What is added at every place."""
    return sinusoidal.embed(torch.zeros(1, count, sinusoidal.width), torch.arange(count)[None])[0]


def turns(rotary: Rotary, count: int) -> Tensor:
    """Cosines, then sines, of every place."""
    angles = torch.arange(count)[:, None] * rotary.rates(torch.device("cpu"))
    return torch.cat([angles.cos(), angles.sin()], -1)


@singledispatch
def placed(position: Position, packed: Packed, side: int) -> None:
    """Tell the engine where order enters: nowhere."""


@placed.register
def _(position: Sinusoidal, packed: Packed, side: int) -> None:
    packed.places[side] = Endless(ADDED, position)
    packed.reach(side, PLACES)


@placed.register
def _(position: LearnedPositions, packed: Packed, side: int) -> None:
    packed.table(side, ADDED, rows(position.table)[position.offset :])


@placed.register
def _(position: Rotary, packed: Packed, side: int) -> None:
    packed.places[side] = Endless(TURNED, position)
    packed.reach(side, PLACES)


@placed.register
def _(position: RelativeBuckets, packed: Packed, side: int) -> None:
    rows(position.table)
    packed.table(side, BIASED, position.bias().line.detach())


@placed.register
def _(position: Alibi, packed: Packed, side: int) -> None:
    slopes = position.slopes.float().contiguous()
    packed.library.check(packed.library.slopes(packed.address, side, slopes.data_ptr(), len(slopes)))
