"""ONNX: encoder.onnx reads a source, decoder.onnx writes one token with what it remembers of those before.

encoder.onnx   tokens int64 (batch, source), attention_mask bool (batch, source): False for padding, on the right
            -> cross.0.key, cross.0.value, …: float32 (batch, heads, source, head width), for every decoder layer
decoder.onnx   token int64 (batch, 1), attention_mask and all cross.… as above, past.0.key, past.0.value, …: float32
               (batch, heads, written, head width), with nothing written at first
            -> scores float32 (batch, vocabulary) of the token that follows, now.0.key, now.0.value, …: the next past
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from torch import nn

from regard.checkpoints.export.export_source import ExportSource
from regard.checkpoints.export.graph import OnnxGraph, TypeAndShape
from regard.errors import lookup
from regard.layers import FeedForward, TransformerBlock
from regard.models.embedded_stack import EmbeddedStack

HIDDEN = np.finfo(np.float32).min
ACTIVATIONS: dict[str, Callable[[OnnxGraph, str], str]] = {
    "relu": lambda graph, x: graph("Relu", x),
    "gelu": lambda graph, x: graph("Gelu", x),
    "gelu-tanh": lambda graph, x: graph("Gelu", x, approximate="tanh"),
    "silu": lambda graph, x: graph("Mul", x, graph("Sigmoid", x)),
    "tanh": lambda graph, x: graph("Tanh", x),
}


def write(source: ExportSource, folder: Path) -> None:
    write_encoder(source, folder / "encoder.onnx")
    write_decoder(source, folder / "decoder.onnx")


def write_encoder(source: ExportSource, path: Path) -> None:
    model, graph = source.model, OnnxGraph()
    side = OnnxStack(graph, model.encoder, source)
    length = graph("Shape", "tokens", start=1, end=2)
    position_rows = graph("Slice", source.position_table(model.encoder), [0], length, [0])
    x = side.embedding("tokens", position_rows)
    mask = side.mask_bias("attention_mask")
    for block in model.encoder.stack.blocks:
        assert isinstance(block, TransformerBlock)

        def attend(x: str, block: TransformerBlock = block) -> str:
            query, key, value = graph.several("Split", 3, graph.linear(x, block.self.qkv), axis=-1, num_outputs=3)
            output = side.attention_output(
                side.split_heads(query), side.split_heads(key), side.split_heads(value), mask
            )
            return graph.linear(output, block.self.output)

        x = side.add_and_norm(x, attend, block.self_norm, block)
        x = side.feed_forward(x, block)
    x = side.final_norm(x)
    for number, block in enumerate(model.decoder.stack.blocks):
        assert isinstance(block, TransformerBlock)
        assert block.cross is not None
        pair = graph.several("Split", 2, graph.linear(x, block.cross.kv), axis=-1, num_outputs=2)
        for kind, part in zip(("key", "value"), pair, strict=True):
            graph.named(OnnxStack(graph, model.decoder, source).split_heads(part), f"cross.{number}.{kind}")
    inputs: dict[str, TypeAndShape] = {
        "tokens": ["int64", "batch", "source"],
        "attention_mask": ["bool", "batch", "source"],
    }
    graph.save(path, inputs, cache_names(source, "cross", "source"))


def write_decoder(source: ExportSource, path: Path) -> None:
    model, graph = source.model, OnnxGraph()
    assert model.output is not None
    side = OnnxStack(graph, model.decoder, source)
    position = graph("Shape", "past.0.key", start=2, end=3)
    x = side.embedding("token", graph("Gather", source.position_table(model.decoder), position))
    mask = side.mask_bias("attention_mask")
    for number, block in enumerate(model.decoder.stack.blocks):
        assert isinstance(block, TransformerBlock)

        def attend(x: str, block: TransformerBlock = block, number: int = number) -> str:
            query, key, value = graph.several("Split", 3, graph.linear(x, block.self.qkv), axis=-1, num_outputs=3)
            key = graph("Concat", f"past.{number}.key", side.split_heads(key), axis=2)
            value = graph("Concat", f"past.{number}.value", side.split_heads(value), axis=2)
            graph.named(key, f"now.{number}.key")
            graph.named(value, f"now.{number}.value")
            return graph.linear(side.attention_output(side.split_heads(query), key, value), block.self.output)

        def attend_across(x: str, block: TransformerBlock = block, number: int = number) -> str:
            assert block.cross is not None
            query = side.split_heads(graph.linear(x, block.cross.query))
            output = side.attention_output(query, f"cross.{number}.key", f"cross.{number}.value", mask)
            return graph.linear(output, block.cross.output)

        x = side.add_and_norm(x, attend, block.self_norm, block)
        x = side.add_and_norm(x, attend_across, block.cross_norm, block)
        x = side.feed_forward(x, block)
    scores = graph("MatMul", graph("Squeeze", side.final_norm(x), [1]), model.output.weight.detach().T)
    bias = source.output_bias()
    graph.named(scores if bias is None else graph("Add", scores, bias), "scores")
    inputs: dict[str, TypeAndShape] = {"token": ["int64", "batch", 1], "attention_mask": ["bool", "batch", "source"]}
    inputs |= cache_names(source, "cross", "source") | cache_names(source, "past", "written")
    outputs: dict[str, TypeAndShape] = {"scores": ["float32", "batch", len(model.output.weight)]}
    graph.save(path, inputs, outputs | cache_names(source, "now", "all"))


def cache_names(source: ExportSource, name: str, length: str) -> dict[str, TypeAndShape]:
    """Keys and values of every layer of the decoder."""
    stack = source.model.config.decoder.stack
    heads, width = stack.attention.heads, stack.width // stack.attention.heads
    shape = ["float32", "batch", heads, length, width]
    return {f"{name}.{layer}.{kind}": shape for layer in range(stack.layers) for kind in ("key", "value")}


class OnnxStack:
    """The parts of one side, as operators."""

    graph: OnnxGraph
    side: EmbeddedStack
    heads: int
    width: int
    activation: Callable[[OnnxGraph, str], str]

    def __init__(self, graph: OnnxGraph, side: EmbeddedStack, source: ExportSource) -> None:
        self.graph, self.side = graph, side
        configs = source.model.config
        config = configs.encoder if side is source.model.encoder else configs.decoder
        self.heads = config.stack.attention.heads
        self.width = config.stack.width // self.heads
        self.activation = lookup(ACTIVATIONS, config.stack.feed_forward.activation, "activation of ONNX")

    def embedding(self, tokens: str, positions: str) -> str:
        graph, words = self.graph, self.side.embedding
        x = graph("Mul", graph("Gather", words.table.weight, tokens), float(words.scale))
        x = graph("Add", x, positions)
        return x if words.norm is None else graph.norm(x, words.norm)

    def mask_bias(self, attention_mask: str) -> str:
        """What is added to scores, so that nothing attends to padding: (batch, 1, 1, source)."""
        return self.graph("Where", self.graph("Unsqueeze", attention_mask, [1, 2]), 0.0, HIDDEN)

    def split_heads(self, x: str) -> str:
        """(batch, length, heads x width) becomes (batch, heads, length, width)."""
        return self.graph("Transpose", self.graph("Reshape", x, [0, 0, self.heads, self.width]), perm=[0, 2, 1, 3])

    def attention_output(self, query: str, key: str, value: str, mask: str | None = None) -> str:
        graph = self.graph
        scores = graph("MatMul", graph("Mul", query, self.width**-0.5), graph("Transpose", key, perm=[0, 1, 3, 2]))
        weights = graph("Softmax", scores if mask is None else graph("Add", scores, mask), axis=-1)
        output = graph("Transpose", graph("MatMul", weights, value), perm=[0, 2, 1, 3])
        return graph("Reshape", output, [0, 0, self.heads * self.width])

    def feed_forward(self, x: str, block: TransformerBlock) -> str:
        part = block.feed_forward
        assert isinstance(part, FeedForward)

        def think(x: str) -> str:
            return self.graph.linear(self.activation(self.graph, self.graph.linear(x, part.widen)), part.narrow)

        return self.add_and_norm(x, think, block.feed_forward_norm, block)

    def add_and_norm(self, x: str, part: Callable[[str], str], norm: nn.Module | None, block: TransformerBlock) -> str:
        if block.pre_norm:
            return self.graph("Add", x, part(self.graph.norm(x, norm)))
        return self.graph.norm(self.graph("Add", x, part(x)), norm)

    def final_norm(self, x: str) -> str:
        return x if self.side.stack.norm is None else self.graph.norm(x, self.side.stack.norm)
