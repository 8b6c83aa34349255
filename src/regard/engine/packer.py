"""Weights put into the engine, in the order in which they are read."""

import ctypes
from collections.abc import Sequence

import numpy as np

from regard.engine.layer_changes import ACROSS, READING, WRITING
from regard.engine.library import NONE, AttentionSpec, LayerSpec, Library, OutputSpec, StackSpec, address
from regard.engine.packed_model import (
    DECODER,
    ENCODER,
    FIRST_POSITIONS,
    PRECISIONS,
    LayerShape,
    PackedModel,
    PackedShape,
    PositionTable,
    put_table,
)
from regard.engine.parts import (
    AttentionPart,
    BlockPart,
    EngineParts,
    LinearPart,
    NormPart,
    OutputPart,
    PositionPart,
    StackPart,
    Unsupported,
    Weight,
)
from regard.engine.positions import ADDED, BIASED, EVERYWHERE

SIDES = ("encoder", "decoder")


def pack_parts(library: Library, parts: EngineParts, precision: str) -> PackedModel:
    """A model in memory. Raises Unsupported or EngineError where the engine cannot run it."""
    model = library.check_new(library.model(PRECISIONS[precision]))
    try:
        packer = Packer(library, model, PackedShape(precision, has_source=parts.encoder is not None))
        packer.pack(parts)
    except BaseException:
        library.model_free(model)
        raise
    return PackedModel(library, model, packer.shape, packer.referenced)


class Packer:
    """Puts the parts of a model into the engine; `shape` then says what it has become, `referenced` what the engine
    points at."""

    library: Library
    address: int
    shape: PackedShape

    def __init__(self, library: Library, model: int, shape: PackedShape) -> None:
        self.library, self.address, self.shape = library, model, shape
        self.referenced: list[object] = []
        self._tables: dict[object, np.ndarray] = {}
        self._linears: dict[object, int] = {}
        self._outputs: dict[int, int] = {}  # how much each of them puts out

    def pack(self, parts: EngineParts) -> None:
        if parts.encoder is not None:
            self._stack(ENCODER, parts.encoder)
        self._stack(DECODER, parts.decoder)
        self.shape.vocabulary = self._output(parts.output)

    def _put_table(self, side: int, kind: int, table: np.ndarray) -> None:
        self.referenced.append(table)
        put_table(self.library, self.address, side, kind, table)

    def _table(self, weight: Weight) -> np.ndarray:
        """A table of vectors; one that serves twice is there once."""
        if weight.key not in self._tables:
            table = weight.array()
            if table.ndim != 2:
                raise Unsupported(f"the vectors of a table have {table.ndim} dimensions, 2 expected")
            self._tables[weight.key] = table
            self.referenced.append(table)
        return self._tables[weight.key]

    def _linear(self, part: LinearPart | None) -> int:
        """A linear layer; layers that share their weights share their place here."""
        if part is None:
            return NONE
        key = (part.weight.key, None if part.bias is None else part.bias.key, part.scale)
        if key not in self._linears:
            weight = self._tables[part.weight.key] if part.weight.key in self._tables else part.weight.array()
            if weight.ndim != 2:
                raise Unsupported(f"the weight of a linear layer has {weight.ndim} dimensions, 2 expected")
            out, into = weight.shape
            bias = checked_numbers("bias", part.bias, out)
            made = self.library.linear(self.address, place(weight), place(bias), into, out, part.scale)
            self._linears[key] = number = self.library.check_new(made)  # it was copied
            self._outputs[number] = out
        return self._linears[key]

    def _norm(self, part: NormPart | None) -> int:
        if part is None:
            return NONE
        weight = checked_numbers("weight", part.weight, part.width)
        bias = checked_numbers("bias", part.bias, part.width)
        if weight is not None and part.is_offset:
            weight = 1 + weight
        made = self.library.norm(self.address, place(weight), place(bias), part.width, part.is_rms, part.epsilon)
        return self.library.check_new(made)

    def _numbers(self, numbers: Sequence[int]) -> ctypes.Array[ctypes.c_int32]:
        array = (ctypes.c_int32 * len(numbers))(*numbers)
        self.referenced.append(array)
        return array

    def _stack(self, which: int, part: StackPart) -> None:
        table = self._table(part.table)
        spec = StackSpec(
            width=part.width,
            feed_forward_width=part.feed_forward_width,
            activation=part.activation,
            is_gated=part.is_gated,
            pre_norm=part.pre_norm,
            window=part.window,
            vocabulary=table.shape[0],
            embedding_width=table.shape[1],
            embedding_norm=self._norm(part.embedding_norm),
            embedding_widen=self._linear(part.embedding_widen),
            final_norm=self._norm(part.final_norm),
            rotates_neighbours=part.position.rotates_neighbours,
            scale=part.scale,
            embedding=place(table),
        )
        self.library.check(self.library.stack(self.address, which, ctypes.byref(spec)))
        if part.segments is not None:
            self._put_table(which, EVERYWHERE, self._table(part.segments)[:1])
        self._position(which, part.position)
        for number, block in enumerate(part.blocks):
            self._block(which, block)
            self._name_layer(f"{SIDES[which]}.{number}.self", WRITING if which else READING, number, block.self)
            if block.cross is not None:
                self._name_layer(f"{SIDES[which]}.{number}.cross", ACROSS, number, block.cross)

    def _position(self, which: int, part: PositionPart) -> None:
        if part.growing is not None:
            self.shape.position_tables[which] = PositionTable(part.growing, FIRST_POSITIONS)
            self._put_table(which, part.growing.kind, part.growing.rows(FIRST_POSITIONS))
        if part.added is not None:
            self._put_table(which, ADDED, self._table(part.added)[part.offset :])
        if part.bias is not None:
            self._put_table(which, BIASED, part.bias)
        if part.slopes is not None:
            slopes = address("slopes", part.slopes, np.float32)
            self.library.check(self.library.slopes(self.address, which, slopes, len(part.slopes)))

    def _name_layer(self, name: str, kind: int, number: int, part: AttentionPart) -> None:
        self.shape.layers[name] = LayerShape(kind, number, part.heads, part.kv_heads, part.width)

    def _block(self, which: int, part: BlockPart) -> None:
        spec = LayerSpec(
            self=self._attention(part.self),
            crosses=part.cross is not None,
            widen=self._linear(part.widen),
            narrow=self._linear(part.narrow),
            self_norm=self._norm(part.self_norm),
            cross_norm=self._norm(part.cross_norm),
            feed_forward_norm=self._norm(part.feed_forward_norm),
        )
        if part.cross is not None:
            spec.cross = self._attention(part.cross)
        self.library.check(self.library.layer(self.address, which, ctypes.byref(spec)))

    def _attention(self, part: AttentionPart) -> AttentionSpec:
        return AttentionSpec(
            qkv=self._linear(part.qkv),
            kv=self._linear(part.kv),
            output=self._linear(part.output),
            heads=part.heads,
            kv_heads=part.kv_heads,
            width=part.width,
            scale=part.scale,
            kv_head_of=self._numbers(part.kv_head_of),
            numbers=self._numbers(part.numbers),
        )

    def _output(self, part: OutputPart) -> int:
        """How words are scored; how many of them there are."""
        spec = OutputSpec(
            bridge=self._linear(part.bridge),
            dense=self._linear(part.dense),
            dense_activation=part.dense_activation,
            dense_norm=self._norm(part.dense_norm),
            output=self._linear(part.output),
            has_source=self.shape.has_source,
        )
        self.library.check(self.library.output(self.address, ctypes.byref(spec)))
        return self._outputs[spec.output]


def checked_numbers(name: str, weight: Weight | None, count: int) -> np.ndarray | None:
    """The numbers of a weight, if there is one: as many as will be read."""
    numbers = None if weight is None else weight.array()
    if numbers is not None and numbers.size != count:
        raise Unsupported(f"a {name} has {numbers.size} numbers, {count} expected")
    return numbers


def place(array: np.ndarray | None) -> int | None:
    """Where weights begin, if there are any."""
    return None if array is None else address("a weight", array, np.float32)
