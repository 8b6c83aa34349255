"""ONNX: encoder.onnx reads a source, decoder.onnx writes one token with what it remembers of those before.

encoder.onnx   tokens int64 (batch, source), real bool (batch, source): False for padding, which stands on the right
            -> cross.0.key, cross.0.value, …: float32 (batch, heads, source, head width), for every decoder layer
decoder.onnx   token int64 (batch, 1), real and all cross.… as above, past.0.key, past.0.value, …: float32
               (batch, heads, written, head width), with nothing written at first
            -> scores float32 (batch, vocabulary) of the token that follows, now.0.key, now.0.value, …: the next past
"""

from pathlib import Path
from typing import Any

import numpy as np

from regard.checkpoints.export.graph import OnnxGraph
from regard.checkpoints.export.leaving import ExportSource
from regard.errors import lookup
from regard.layers import TransformerBlock
from regard.models.side import EmbeddedStack

HIDDEN = np.finfo(np.float32).min
ACTIVATIONS: dict[str, Any] = {
    "relu": lambda graph, x: graph("Relu", x),
    "gelu": lambda graph, x: graph("Gelu", x),
    "gelu-tanh": lambda graph, x: graph("Gelu", x, approximate="tanh"),
    "silu": lambda graph, x: graph("Mul", x, graph("Sigmoid", x)),
    "tanh": lambda graph, x: graph("Tanh", x),
}


def write(leaving: ExportSource, folder: Path) -> None:
    write_encoder(leaving, folder / "encoder.onnx")
    write_decoder(leaving, folder / "decoder.onnx")


def write_encoder(leaving: ExportSource, path: Path) -> None:
    model, graph = leaving.plain, OnnxGraph()
    side = OnnxStack(graph, model.encoder, leaving)
    length = graph("Shape", "tokens", start=1, end=2)
    first = graph("Slice", leaving.places(model.encoder), [0], length, [0])
    x = side.words("tokens", first)
    hidden = side.hidden("real")
    for block in model.encoder.stack.blocks:
        assert isinstance(block, TransformerBlock)

        def look(x: str, block: TransformerBlock = block) -> str:
            query, key, value = graph("Split", graph.linear(x, block.self.qkv), outputs=3, axis=-1, num_outputs=3)
            found = side.gathered(side.apart(query), side.apart(key), side.apart(value), hidden)
            return graph.linear(found, block.self.output)

        x = side.added(x, look, block.self_norm, block)
        x = side.inner(x, block)
    x = side.ended(x)
    for number, block in enumerate(model.decoder.stack.blocks):
        assert isinstance(block, TransformerBlock)
        assert block.cross is not None
        pair = graph("Split", graph.linear(x, block.cross.kv), outputs=2, axis=-1, num_outputs=2)
        for kind, part in zip(("key", "value"), pair, strict=True):
            graph.named(OnnxStack(graph, model.decoder, leaving).apart(part), f"cross.{number}.{kind}")
    inputs = {"tokens": ["int64", "batch", "source"], "real": ["bool", "batch", "source"]}
    graph.save(path, inputs, remembered(leaving, "cross", "source"))


def write_decoder(leaving: ExportSource, path: Path) -> None:
    model, graph = leaving.plain, OnnxGraph()
    assert model.output is not None
    side = OnnxStack(graph, model.decoder, leaving)
    place = graph("Shape", "past.0.key", start=2, end=3)
    x = side.words("token", graph("Gather", leaving.places(model.decoder), place))
    hidden = side.hidden("real")
    for number, block in enumerate(model.decoder.stack.blocks):
        assert isinstance(block, TransformerBlock)

        def look(x: str, block: TransformerBlock = block, number: int = number) -> str:
            query, key, value = graph("Split", graph.linear(x, block.self.qkv), outputs=3, axis=-1, num_outputs=3)
            key = graph("Concat", f"past.{number}.key", side.apart(key), axis=2)
            value = graph("Concat", f"past.{number}.value", side.apart(value), axis=2)
            graph.named(key, f"now.{number}.key")
            graph.named(value, f"now.{number}.value")
            return graph.linear(side.gathered(side.apart(query), key, value), block.self.output)

        def look_across(x: str, block: TransformerBlock = block, number: int = number) -> str:
            assert block.cross is not None
            query = side.apart(graph.linear(x, block.cross.query))
            found = side.gathered(query, f"cross.{number}.key", f"cross.{number}.value", hidden)
            return graph.linear(found, block.cross.output)

        x = side.added(x, look, block.self_norm, block)
        x = side.added(x, look_across, block.cross_norm, block)
        x = side.inner(x, block)
    scores = graph("MatMul", graph("Squeeze", side.ended(x), [1]), model.output.weight.detach().T)
    bias = leaving.output_bias()
    graph.named(scores if bias is None else graph("Add", scores, bias), "scores")
    inputs = {"token": ["int64", "batch", 1], "real": ["bool", "batch", "source"]}
    inputs |= remembered(leaving, "cross", "source") | remembered(leaving, "past", "written")
    outputs = {"scores": ["float32", "batch", len(model.output.weight)]}
    graph.save(path, inputs, outputs | remembered(leaving, "now", "all"))


def remembered(leaving: ExportSource, name: str, length: str) -> dict[str, list[Any]]:
    """Keys and values of every layer of the decoder."""
    stack = leaving.plain.config.decoder.stack
    heads, width = stack.attention.heads, stack.width // stack.attention.heads
    shape = ["float32", "batch", heads, length, width]
    return {f"{name}.{layer}.{kind}": shape for layer in range(stack.layers) for kind in ("key", "value")}


class OnnxStack:
    """The parts of one side, as operators."""

    def __init__(self, graph: OnnxGraph, side: EmbeddedStack, leaving: ExportSource) -> None:
        self.graph, self.side = graph, side
        configs = leaving.plain.config
        config = configs.encoder if side is leaving.plain.encoder else configs.decoder
        self.heads = config.stack.attention.heads
        self.width = config.stack.width // self.heads
        self.bend = lookup(ACTIVATIONS, config.stack.feed_forward.activation, "activation of ONNX")

    def words(self, tokens: str, places: str) -> str:
        graph, words = self.graph, self.side.embedding
        x = graph("Mul", graph("Gather", words.table.weight, tokens), float(words.scale))
        x = graph("Add", x, places)
        return x if words.norm is None else graph.norm(x, words.norm)

    def hidden(self, real: str) -> str:
        """What is added to scores, so that nobody looks at padding: (batch, 1, 1, source)."""
        return self.graph("Where", self.graph("Unsqueeze", real, [1, 2]), 0.0, HIDDEN)

    def apart(self, x: str) -> str:
        """(batch, length, heads x width) becomes (batch, heads, length, width)."""
        return self.graph("Transpose", self.graph("Reshape", x, [0, 0, self.heads, self.width]), perm=[0, 2, 1, 3])

    def gathered(self, query: str, key: str, value: str, hidden: str | None = None) -> str:
        graph = self.graph
        scores = graph("MatMul", graph("Mul", query, self.width**-0.5), graph("Transpose", key, perm=[0, 1, 3, 2]))
        weights = graph("Softmax", scores if hidden is None else graph("Add", scores, hidden), axis=-1)
        found = graph("Transpose", graph("MatMul", weights, value), perm=[0, 2, 1, 3])
        return graph("Reshape", found, [0, 0, self.heads * self.width])

    def inner(self, x: str, block: TransformerBlock) -> str:
        def think(x: str) -> str:
            return self.graph.linear(
                self.bend(self.graph, self.graph.linear(x, block.feed_forward.widen)), block.feed_forward.narrow
            )

        return self.added(x, think, block.feed_forward_norm, block)

    def added(self, x: str, part: Any, norm: Any, block: TransformerBlock) -> str:
        if block.pre_norm:
            return self.graph("Add", x, part(self.graph.norm(x, norm)))
        return self.graph.norm(self.graph("Add", x, part(x)), norm)

    def ended(self, x: str) -> str:
        return x if self.side.stack.norm is None else self.graph.norm(x, self.side.stack.norm)
