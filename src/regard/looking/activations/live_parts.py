"""The parts of transformers' models, by what their modules are called: one table for each step of a block.

A step whose module has none of these names has no sites; what is there is listed by `regard.sites`.
"""

import inspect
from functools import cache
from typing import Any

from torch import nn

from regard.looking.activations.parts import Access, BlockParts, ModelParts, StackParts, Sublayer
from regard.looking.live import pretrained

PROJECTIONS = ("o_proj", "out_proj", "c_proj", "dense", "o", "out_lin", "wo", "Wo", "proj")
"""The last projection of an attention layer."""
FEED_FORWARD = (
    "mlp",
    "feed_forward",
    "ffn",
    "ff",
    "DenseReluDense",
    "layer.1.DenseReluDense",
    "layer.2.DenseReluDense",
)
"""A feed-forward layer that is a module of its own, in its block."""
NARROW = ("c_proj", "down_proj", "dense_4h_to_h", "fc2", "fc_out", "wo", "w2", "lin2", "proj_out", "Wo")
"""The last projection of a feed-forward layer."""
FLAT = (("fc1", "fc2"), ("intermediate.dense", "output.dense"), ("linear1", "linear2"))
"""First and last projection where the block itself is the feed-forward layer."""
NORMS: dict[str, tuple[str, ...]] = {
    "self": ("self_attn_layer_norm", "sa_layer_norm"),
    "cross": ("encoder_attn_layer_norm",),
    "feed_forward": ("final_layer_norm", "output_layer_norm"),
}
"""Norms that one library's blocks have before what they belong to, and another's after."""
FINAL_NORMS = ("ln_f", "norm", "final_layer_norm", "final_layernorm", "layer_norm", "final_norm")
EMBEDDINGS = (
    *("wte", "embed_tokens", "embed_in", "word_embeddings", "tok_embeddings"),
    *("embeddings.word_embeddings", "embeddings.tok_embeddings"),
)
PARALLEL = {"GPTJBlock", "PhiDecoderLayer", "CohereDecoderLayer", "Cohere2DecoderLayer", "CodeGenBlock"}
HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head")


def live_parts(model: Any, layers: dict[str, nn.Module], blocks: dict[str, nn.Module]) -> ModelParts:
    """`layers` and `blocks` are those of the model, by our names."""
    paths = {module: path for path, module in model.named_modules()}
    known = {
        name: block_parts(model, block, {kind: layers.get(f"{name}.{kind}") for kind in ("self", "cross")}, paths)
        for name, block in blocks.items()
    }
    stacks = {
        name.rpartition(".")[0]: stack_parts(stack)
        for name, block in blocks.items()
        if (stack := innermost(model, paths[block])) is not None
    }
    config: Any = getattr(model, "config", None)
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    has_scores = hasattr(model, "get_output_embeddings") and model.get_output_embeddings() is not None
    logits = (
        Access(model, "output")
        if has_scores or (hasattr(model, "num_labels") and hasattr(model, "classifier"))
        else None
    )
    width = getattr(text, "hidden_size", 0) or 0
    return ModelParts(width, known, stacks, logits, (getattr(text, "vocab_size", 0) or 0) if has_scores else 0)


def innermost(model: nn.Module, path: str) -> nn.Module | None:
    """The stack that a block stands in: the nearest of transformers' models around it."""
    parts = path.split(".")
    around = (model.get_submodule(".".join(parts[:length])) for length in range(len(parts) - 1, -1, -1))
    return next((module for module in around if isinstance(module, pretrained())), None)


def stack_parts(stack: nn.Module) -> StackParts:
    return StackParts(stack, child(stack, EMBEDDINGS), child(stack, FINAL_NORMS))


def child(module: nn.Module, names: tuple[str, ...]) -> nn.Module | None:
    """The first of these that a module has."""
    for name in names:
        part: Any = module
        for step in name.split("."):
            part = getattr(part, "_modules", {}).get(step)
        if part is not None:
            return part
    return None


def block_parts(
    model: nn.Module, block: nn.Module, layers: dict[str, nn.Module | None], paths: dict[nn.Module, str]
) -> BlockParts:
    attention = [
        attention_parts(model, block, kind, layer, paths) for kind, layer in layers.items() if layer is not None
    ]
    sublayers = [sublayer for sublayer in (*attention, feed_forward_parts(block)) if sublayer is not None]
    is_parallel = bool(getattr(block, "use_parallel_residual", type(block).__name__ in PARALLEL))
    return BlockParts(block, tuple(sublayers), is_parallel)


def attention_parts(
    model: nn.Module, block: nn.Module, kind: Any, layer: nn.Module, paths: dict[nn.Module, str]
) -> Sublayer | None:
    projection = child(layer, PROJECTIONS)
    norm_after, stream = post_norm(block, kind, layer)
    if projection is None:  # as BERT has it: beside the layer, and followed by the norm
        around = model.get_submodule(paths[layer].rpartition(".")[0])
        projection, stream = child(around, ("output.dense",)), child(around, ("output",))
        norm_after = child(around, ("output.LayerNorm",))
    heads = heads_of(layer)
    if projection is None or not heads:
        return None
    writes, norm_of_write = projection, child(block, ("post_attention_layernorm",)) if is_sandwich(block) else None
    config: Any = getattr(layer, "config", None)
    kv_heads = getattr(layer, "num_key_value_heads", None) or getattr(config, "num_key_value_heads", None) or heads
    width = read_width(projection) // heads
    return Sublayer(
        kind,
        Access(layer, "input"),
        Access(projection, "input"),
        projection,
        Access(norm_of_write or writes, "output"),
        norm_after=norm_after,
        stream=None if stream is None else Access(stream, "output"),
        norm_of_write=norm_of_write,
        heads=heads,
        head_width=width,
        query_width=getattr(layer, "head_dim", None) or width,
        kv_heads=kv_heads,
        layer=layer,
    )


def feed_forward_parts(block: nn.Module) -> Sublayer | None:
    module, flat = child(block, FEED_FORWARD), None
    narrow = None if module is None else child(module, NARROW)
    if module is None or not list(module.children()):
        flat = next((pair for pair in FLAT if child(block, pair[:1]) and child(block, pair[1:])), None)
        module, narrow = (None, None) if flat is None else (child(block, flat[:1]), child(block, flat[1:]))
    if module is None:
        return None
    norm_after, stream = post_norm(block, "feed_forward", module)
    if flat is not None and flat[1] == "output.dense":
        norm_after, stream = child(block, ("output.LayerNorm",)), child(block, ("output",))
    norm_of_write = child(block, ("post_feedforward_layernorm",)) if is_sandwich(block) else None
    return Sublayer(
        "feed_forward",
        Access(module, "input"),
        None if narrow is None else Access(narrow, "input"),
        narrow or module,
        Access(norm_of_write or narrow or module, "output"),
        norm_after=norm_after,
        stream=None if stream is None else Access(stream, "output"),
        norm_of_write=norm_of_write,
        width=0 if narrow is None else read_width(narrow),
    )


def is_sandwich(block: nn.Module) -> bool:
    """Whether what a sublayer writes is normalised before it is added, as in Gemma 2 and OLMo 2."""
    return child(block, ("post_feedforward_layernorm",)) is not None


def post_norm(block: nn.Module, kind: str, layer: nn.Module) -> tuple[nn.Module | None, nn.Module | None]:
    """The norm of the sum, where a block has one after this step, and what the stream is then."""
    name = next((name for name in NORMS[kind] if name in block._modules), None)
    before = getattr(block, "do_layer_norm_before", None)
    if name is None or before or (before is None and comes_first(type(block), name, FIRST[kind])):
        return None, None
    norm = block._modules[name]
    return norm, norm


FIRST: dict[str, tuple[str, ...]] = {
    "self": ("self_attn(", "attention("),
    "cross": ("encoder_attn(",),
    "feed_forward": ("fc1(", "ffn("),
}
"""What a norm belongs to, as a block's code calls it."""


@cache
def comes_first(kind: type, norm: str, steps: tuple[str, ...]) -> bool:
    """Whether a block's code has the norm before what it belongs to."""
    code = inspect.getsource(kind.forward)  # type: ignore[attr-defined]  # a module's
    at = min((code.find(f"self.{step}") for step in steps if f"self.{step}" in code), default=len(code))
    return 0 <= code.find(f"self.{norm}(") < at


def heads_of(layer: Any) -> int:
    own = next((number for name in HEADS if isinstance(number := getattr(layer, name, None), int)), 0)
    return own or int(getattr(getattr(layer, "config", None), "num_attention_heads", 0) or 0)


def read_width(projection: Any) -> int:
    """How many numbers a projection reads: of a linear layer, or of GPT-2's, whose matrix lies on its side."""
    return int(projection.in_features if hasattr(projection, "in_features") else projection.nx)
