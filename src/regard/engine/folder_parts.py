"""A model in a folder as the engine reads it: its config and its files, no torch.

What is said here of a config, `module_parts.py` says of the modules that are built of it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from regard.config import (
    AttentionConfig,
    Config,
    DecoderConfig,
    EmbeddedStackConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
    TransformerConfig,
)
from regard.config.rope_scaling import RopeScaling
from regard.config.slopes import alibi_slopes
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
from regard.engine.positions import Rotations, Waves, bucket_numbers
from regard.families.tensor_names import TensorName, read_row
from regard.folder_files import StoredTensor


@dataclass(frozen=True)
class StoredWeight:
    """A tensor of a model, as its folder has it."""

    row: TensorName
    tensors: Mapping[str, StoredTensor]
    shape: tuple[int, ...]

    @property
    def key(self) -> str:
        return self.row.name

    def array(self) -> np.ndarray:
        """The numbers. Raises Unsupported where they are not what they should be: torch's path says it better."""
        try:
            parts = {name: self.tensors[name].array() for name in self.row.file_names}
            array = read_row(self.row, parts, np.concatenate, np.zeros_like)
        except (ValueError, IndexError, OSError) as problem:
            raise Unsupported(f"{self.row.name}: {problem}") from None
        if array.shape != self.shape:
            raise Unsupported(f"{self.row.name} has the shape {array.shape}, {self.shape} expected")
        if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
            raise Unsupported(f"{self.row.name} holds numbers that are not finite")
        return np.ascontiguousarray(array)


@dataclass
class StoredWeights:
    """The weights of a folder by the names that they have in our models; what was asked for is kept in mind."""

    rows: Mapping[str, TensorName]
    tensors: Mapping[str, StoredTensor]
    shared: Mapping[str, str]  # names of weights that are others under a second name
    used: set[str] = field(default_factory=set)

    def weight(self, name: str, *shape: int) -> StoredWeight:
        name = self.shared.get(name, name)
        name = self.shared.get(name, name)
        if name not in self.rows:
            raise Unsupported(f"{name} is not in the folder")
        self.used.add(name)
        return StoredWeight(self.rows[name], self.tensors, shape)

    def linear(self, name: str, into: int, out: int, *, bias: bool = True, scale: float = 1.0) -> LinearPart:
        weight = self.weight(f"{name}.weight", out, into)
        return LinearPart(weight, self.weight(f"{name}.bias", out) if bias else None, scale)

    def norm(self, name: str, config: NormConfig, width: int) -> NormPart:
        if config.kind not in ("layer", "rms", "rms-offset"):
            raise Unsupported(f"a norm of the kind {config.kind!r} is not one that it knows")
        is_rms = config.kind != "layer"
        bias = None if is_rms else self.weight(f"{name}.bias", width)
        weight = self.weight(f"{name}.weight", width)
        return NormPart(weight, bias, width, is_rms, config.epsilon, config.kind == "rms-offset")

    def check_all_used(self) -> None:
        """Raise Unsupported if there are weights that nobody has asked for."""
        if left := sorted(self.rows.keys() - self.used):
            raise Unsupported(f"{left[0]} has no place in the engine")


def folder_parts(config: Config, rows: Mapping[str, TensorName], tensors: Mapping[str, StoredTensor]) -> EngineParts:
    """All that the engine has to know of a model. Raises Unsupported where it cannot run it."""
    if type(config) not in (TransformerConfig, DecoderConfig):
        raise Unsupported(f"a {type(config).__name__.removesuffix('Config')} is no model that it knows")
    assert isinstance(config, TransformerConfig | DecoderConfig)
    if config.output is None:
        raise Unsupported("words are scored in another way, or not at all")
    if isinstance(config, DecoderConfig) and config.classify is not None:
        raise Unsupported("texts are classified")
    weights = StoredWeights(rows, tensors, shared_names(config))
    encoder, bridge, source_width = None, None, 0
    if isinstance(config, TransformerConfig):
        encoder = stack_part(weights, "encoder", config.encoder)
        source_width = config.encoder.stack.width
        if config.bridge:
            width = config.decoder.stack.width
            bridge, source_width = weights.linear("bridge", source_width, width), width
    decoder = stack_part(weights, "decoder", config.decoder, source_width)
    parts = EngineParts(encoder, decoder, output_part(weights, config.output, config.decoder, bridge))
    weights.check_all_used()
    return parts


def shared_names(config: TransformerConfig | DecoderConfig) -> dict[str, str]:
    """Weights that are one under two names."""
    table, names = "embedding.table.weight", dict[str, str]()
    if isinstance(config, TransformerConfig) and config.shared:
        names[f"decoder.{table}"] = f"encoder.{table}"
    if config.output is not None and config.output.tied:
        names["output.weight"] = f"decoder.{table}"
    return names


def stack_part(weights: StoredWeights, side: str, config: EmbeddedStackConfig, source_width: int = 0) -> StackPart:
    embedding, stack = config.embedding, config.stack
    check_stack(config)
    own = embedding.embedding_width or stack.width
    blocks = [
        block
        for layers in stack.shared()
        for block in [block_part(weights, f"{side}.stack.blocks.{layers[0]}", stack, layers, source_width)]
        * len(layers)
    ]
    if not blocks:
        raise Unsupported("it has no blocks")
    is_narrow = embedding.embedding_width is not None
    return StackPart(
        table=weights.weight(f"{side}.embedding.table.weight", embedding.vocabulary, own),
        scale=embedding.scale,
        segments=weights.weight(f"{side}.embedding.segments.weight", embedding.segments, own)
        if embedding.segments
        else None,
        embedding_norm=weights.norm(f"{side}.embedding.norm", stack.norm, own) if embedding.norm else None,
        embedding_widen=weights.linear(f"{side}.embedding.widen", own, stack.width) if is_narrow else None,
        position=position_part(weights, f"{side}.position", config.position),
        width=stack.width,
        feed_forward_width=stack.feed_forward.width,
        activation=activation_code(stack.feed_forward.activation),
        is_gated=stack.feed_forward.gated,
        pre_norm=stack.pre_norm,
        window=stack.window or 0,
        final_norm=weights.norm(f"{side}.stack.norm", stack.norm, stack.width) if stack.final_norm else None,
        blocks=blocks,
    )


def check_stack(config: EmbeddedStackConfig) -> None:
    """Raise Unsupported where layers do what the engine does not know."""
    stack = config.stack
    if config.local_position is not None or stack.global_layers:
        raise Unsupported("layers differ in what they see")
    if config.distances is not None:
        raise Unsupported("distances are compared with content")
    if not stack.residual or stack.output_norm or stack.parallel or not stack.first_norm:
        raise Unsupported("parts of a block are normalised or added in another order than it knows")
    if not stack.feed_forward.width or stack.feed_forward.experts:
        raise Unsupported("a block has no feed-forward layer, or several")


def activation_code(name: str) -> int:
    if name not in ACTIVATIONS:
        raise Unsupported(f"the activation {name!r} is not one that it knows")
    return ACTIVATIONS[name]


def block_part(weights: StoredWeights, name: str, stack: StackConfig, layers: range, source_width: int) -> BlockPart:
    width, feed_forward, cross = stack.width, stack.feed_forward, None
    if source_width:
        cross = attention_part(
            weights, f"{name}.cross", stack.attention, width, stack.pruned_heads(layers, "cross"), source_width
        )
    wide = 2 * feed_forward.width if feed_forward.gated else feed_forward.width
    return BlockPart(
        self=attention_part(weights, f"{name}.self", stack.attention, width, stack.pruned_heads(layers, "self")),
        self_norm=weights.norm(f"{name}.self_norm", stack.norm, width),
        cross=cross,
        cross_norm=weights.norm(f"{name}.cross_norm", stack.norm, width) if source_width else None,
        widen=weights.linear(f"{name}.feed_forward.widen", width, wide, bias=feed_forward.bias),
        narrow=weights.linear(f"{name}.feed_forward.narrow", feed_forward.width, width, bias=feed_forward.bias),
        feed_forward_norm=weights.norm(f"{name}.feed_forward_norm", stack.norm, width),
    )


def attention_part(
    weights: StoredWeights,
    name: str,
    config: AttentionConfig,
    width: int,
    pruned_heads: tuple[int, ...],
    source_width: int = 0,
) -> AttentionPart:
    if config.method is not None:
        raise Unsupported("fewer pairs than all are compared")
    if config.qk_norm is not None:
        raise Unsupported("queries and keys are normalised before they are compared")
    if config.score is not None:
        raise Unsupported("a score is not the dot product")
    if config.bias and not config.key_bias:
        raise Unsupported("keys have no bias, and queries have one")
    split = config.split(width, pruned_heads)
    if split.value_width != split.width:
        raise Unsupported(f"values of {split.value_width} numbers in a head beside keys of {split.width}")
    heads, kv_heads = len(split.remaining_heads), len(split.remaining_kv_heads)
    queries, keys, bias = heads * split.width, kv_heads * split.width, config.bias
    if source_width:
        qkv = weights.linear(f"{name}.query", width, queries, bias=bias)
        kv = weights.linear(f"{name}.kv", source_width, 2 * keys, bias=bias)
    else:
        qkv, kv = weights.linear(f"{name}.qkv", width, queries + 2 * keys, bias=bias), None
    has_output_bias = bias if config.output_bias is None else config.output_bias
    return AttentionPart(
        qkv=qkv,
        kv=kv,
        output=weights.linear(f"{name}.output", queries, width, bias=has_output_bias),
        heads=heads,
        kv_heads=kv_heads,
        width=split.width,
        scale=1 / math.sqrt(split.width) if config.scale is None else config.scale,
        kv_head_of=split.kv_head_of or [head * kv_heads // heads for head in range(heads)],
        numbers=split.remaining_heads,
    )


def output_part(
    weights: StoredWeights, config: OutputConfig, side: EmbeddedStackConfig, bridge: LinearPart | None
) -> OutputPart:
    if config.cap is not None:
        raise Unsupported("scores of words are capped")
    width, embedding, norm = side.stack.width, side.embedding, side.stack.norm
    own = embedding.embedding_width or width
    inner = own if config.tied or config.transform else width
    dense, dense_activation, dense_norm = None, 0, None
    if config.transform is not None:
        dense = weights.linear("output.transform.dense", width, inner, bias=config.transform_bias)
        dense_activation = activation_code(config.transform)
        dense_norm = weights.norm("output.transform.norm", norm, inner)
    scores = weights.linear("output", inner, embedding.vocabulary, bias=config.bias, scale=config.scale)
    return OutputPart(scores, dense, dense_activation, dense_norm, bridge)


def position_part(weights: StoredWeights, name: str, config: PositionConfig) -> PositionPart:
    if config.kind not in POSITIONS:
        raise Unsupported(f"{config.kind!r} is no position scheme that it knows")
    return POSITIONS[config.kind](weights, name, config.settings)


Settings = Mapping[str, Any]
"""Of a position scheme, as JSON has them."""


def nowhere(weights: StoredWeights, name: str, settings: Settings) -> PositionPart:
    return PositionPart()


def sinusoidal(weights: StoredWeights, name: str, settings: Settings) -> PositionPart:
    width, steps = settings["width"], settings.get("steps")
    layout, start = settings.get("layout", "neighbours"), settings.get("start", 0)
    return PositionPart(growing=Waves(width, layout, width / 2 if steps is None else steps, start))


def learned(weights: StoredWeights, name: str, settings: Settings) -> PositionPart:
    offset = settings.get("offset", 0)
    table = weights.weight(f"{name}.table.weight", settings["length"] + offset, settings["width"])
    return PositionPart(added=table, offset=offset)


def rotary(weights: StoredWeights, name: str, settings: Settings) -> PositionPart:
    width, scaling = settings["head_width"], settings.get("scaling")
    if settings.get("rotary_width") not in (None, width):
        raise Unsupported("only a part of each head is turned by its position")
    scaling = RopeScaling(**scaling) if isinstance(scaling, Mapping) else scaling
    rotations = Rotations(width, settings.get("base", 10000.0), scaling)
    return PositionPart(growing=rotations, rotates_neighbours=settings.get("pairing") == "neighbours")


def alibi(weights: StoredWeights, name: str, settings: Settings) -> PositionPart:
    return PositionPart(slopes=np.array(alibi_slopes(settings["heads"]), np.float32))


def relative_buckets(weights: StoredWeights, name: str, settings: Settings) -> PositionPart:
    buckets, reach = settings.get("buckets", 32), settings.get("reach", 128)
    numbers = bucket_numbers(buckets, reach, settings.get("both_ways", True))
    table = weights.weight(f"{name}.table.weight", buckets, settings["heads"]).array()
    return PositionPart(bias=np.ascontiguousarray(table[numbers].T))


POSITIONS: dict[str, Callable[[StoredWeights, str, Settings], PositionPart]] = {
    "none": nowhere,
    "sinusoidal": sinusoidal,
    "learned": learned,
    "rotary": rotary,
    "alibi": alibi,
    "buckets": relative_buckets,
}
