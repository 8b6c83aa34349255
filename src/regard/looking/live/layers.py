"""Which layers of a live model attend, what they are called here, and which of them cannot be watched."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from torch import nn

CROSS = re.compile(r"cross|EncDec|encoder_attn", re.IGNORECASE)
BLOCKS = "attends in blocks or samples of its keys, each with a softmax of its own"
REFUSED = {
    "BigBirdBlockSparseAttention": BLOCKS,
    "BigBirdPegasusBlockSparseAttention": BLOCKS,
    "LEDEncoderSelfAttention": BLOCKS,
    "LSHSelfAttention": BLOCKS,
    "LocalSelfAttention": BLOCKS,
    "LongT5LocalAttention": BLOCKS,
    "LongT5TransientGlobalAttention": BLOCKS,
    "LongformerSelfAttention": BLOCKS,
    "MraSelfAttention": BLOCKS,
    "NystromformerSelfAttention": BLOCKS,
    "ProphetNetNgramSelfAttention": "attends to several streams at once",
    "YosoSelfAttention": BLOCKS,
}
"""Layers whose weights are not one softmax of a query over all of its keys."""
SEEN = {"ALL_ATTENTION_FUNCTIONS", "scaled_dot_product_attention", "softmax"}
"""Names in a layer's code that say where its weights can be met."""


@dataclass
class Layers:
    """The attention layers and blocks of a live model by our names, and the layers left out, with the reason."""

    layers: dict[str, nn.Module] = field(default_factory=dict)
    blocks: dict[str, nn.Module] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def pretrained() -> tuple[type[nn.Module], ...]:
    """The class of transformers' models, if somebody has imported any."""
    library = sys.modules.get("transformers.modeling_utils")
    return (library.PreTrainedModel,) if library is not None and hasattr(library, "PreTrainedModel") else ()


def is_live(model: nn.Module) -> bool:
    """Whether this is a model of transformers, or holds one."""
    return any(isinstance(module, pretrained()) for module in model.modules())


def attention_layers(model: nn.Module) -> Layers:
    """Attention layers and blocks under our names; a layer that serves several depths stands under each."""
    result = Layers()
    attending = [(path, module, config_of(model, path)) for path, module in model.named_modules() if attends(module)]
    watched: list[tuple[str, nn.Module]] = []
    for path, module, config in attending:
        side, number, block = location(path, module, config)
        kind = "cross" if CROSS.search(path) else "self"
        depths = shared_depths(config, number)
        if reason := obstacle(module):
            result.left_out.update({f"{side}.{depth}.{kind}": reason for depth in depths})
            continue
        watched.append((path, module))
        for depth in depths:
            result.layers[f"{side}.{depth}.{kind}"] = module
            result.blocks[f"{side}.{depth}"] = model.get_submodule(block)
    if len(set(result.layers.values())) < len(watched):  # two branches that look alike: only full paths tell them apart
        result.layers, result.blocks = dict(watched), {}
        result.left_out = {path: reason for path, module, _ in attending if (reason := obstacle(module))}
    return result


def attends(module: nn.Module) -> bool:
    """Whether it is a layer that attends itself, and not a wrapper around one."""
    others = (type(other).__name__ for other in module.modules() if other is not module)
    return is_attention(type(module).__name__) and not any(map(is_attention, others)) and is_theirs(module)


def is_attention(name: str) -> bool:
    return "Attention" in name


def is_theirs(module: nn.Module) -> bool:
    """Whether the layer belongs to a model outside of torch.nn and of this package."""
    return type(module).__module__.split(".")[0] not in ("torch", "regard")


def config_of(model: nn.Module, path: str) -> Any:
    """The config of a layer: its own, or that of the nearest module around it."""
    parts = path.split(".")
    for length in range(len(parts), -1, -1):
        config = getattr(model.get_submodule(".".join(parts[:length])), "config", None)
        if config is not None:
            return config
    return None


def location(path: str, module: nn.Module, config: Any) -> tuple[str, int, str]:
    """The side, the number and the path of the block that a layer belongs to."""
    parts = path.split(".")
    sides = [part for part in parts if part in ("encoder", "decoder")]
    is_decoder = bool(getattr(config, "is_decoder", False))
    causal = getattr(module, "is_causal", False) or is_decoder or generates(config)
    side = sides[0] if sides else "decoder" if causal else "encoder"
    if side == "encoder" and is_decoder and "decoder" not in sides:
        side = "decoder"
    at = next((index for index, part in enumerate(parts) if part.isdigit()), len(parts) - 1)
    return side, int(parts[at]) if parts[at].isdigit() else 0, ".".join(parts[: at + 1])


def generates(config: Any) -> bool:
    """Whether a model of one stack reads left to right, by what transformers would build for its config."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as causal
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as masked

    kind = getattr(config, "model_type", None)
    return kind in causal and kind not in masked


def shared_depths(config: Any, number: int) -> list[int]:
    """The depths at which a layer works: its own, or several where groups of layers share one (ALBERT)."""
    groups = getattr(config, "num_hidden_groups", None)
    if groups is None:
        return [number]
    return [depth for depth in range(config.num_hidden_layers) if depth * groups // config.num_hidden_layers == number]


def obstacle(module: nn.Module) -> str | None:
    """Why a layer cannot be watched, or None if it can."""
    name = type(module).__name__
    if name in REFUSED:
        return REFUSED[name]
    softmax = any(isinstance(part, nn.Softmax) for part in module.children())
    if softmax or SEEN & names_in(type(module)):
        return None
    return "calls neither torch's fused attention nor a softmax where it could be met"


@cache
def names_in(kind: type) -> frozenset[str]:
    """Every name that the methods of a class use."""
    methods = (method for base in kind.__mro__ if base is not nn.Module for method in vars(base).values())
    functions = (getattr(method, "__func__", method) for method in methods)
    codes = (getattr(one, "__wrapped__", one).__code__ for one in functions if isinstance(one, FunctionType))
    return frozenset(name for code in codes for name in all_names(code))


def all_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_names(constant)
