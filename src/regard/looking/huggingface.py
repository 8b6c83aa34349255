"""transformers' models, alive: their attention goes through attend() while somebody looks, the kernel still fused.

transformers hands every attention call to a function that its config names. Ours is put there, on the config of
every layer that is looked at, and taken away afterwards. Nothing here imports transformers unless the model did.
"""

import re
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import Bias, Causal, Dense, Dot, Given, Mask, Padding, attend
from regard.attention.taps import at_work
from regard.errors import RegardError

NAME = "regard"
CROSS = re.compile(r"cross|EncDec|encoder_attn", re.IGNORECASE)
UNKNOWN = ("softcap", "s_aux", "sinks")
"""Arguments that change the weights in ways that attend() does not know."""
_switched: dict[int, tuple[Any, str, int]] = {}  # a config, what it named before, how many layers are looked at


def is_foreign(model: nn.Module) -> bool:
    """Whether this is a model of transformers, or holds one."""
    library = sys.modules.get("transformers")
    return library is not None and any(isinstance(module, library.PreTrainedModel) for module in model.modules())


def places(model: nn.Module) -> tuple[dict[str, nn.Module], dict[str, nn.Module]]:
    """Attention layers and blocks under our names; a layer that serves several depths stands under each."""
    layers: dict[str, nn.Module] = {}
    blocks: dict[str, nn.Module] = {}
    found = [(path, module) for path, module in model.named_modules() if attends(module)]
    for path, module in found:
        side, number, block = where(path, module)
        kind = "cross" if CROSS.search(path) else "self"
        for depth in depths(module, number):
            layers[f"{side}.{depth}.{kind}"] = module
            blocks[f"{side}.{depth}"] = model.get_submodule(block)
    if len(set(layers.values())) < len(found):  # two branches that look alike: only full paths tell them apart
        layers, blocks = dict(found), {}
    return layers, blocks


def attends(module: nn.Module) -> bool:
    """Whether it is a layer that calls the attention function itself, and not a wrapper around one."""
    inside = (type(other).__name__ for other in module.modules() if other is not module)
    return hasattr(module, "config") and is_attention(type(module).__name__) and not any(map(is_attention, inside))


def is_attention(name: str) -> bool:
    return "Attention" in name


def where(path: str, module: nn.Module) -> tuple[str, int, str]:
    """The side, the number and the path of the block that a layer belongs to."""
    parts = path.split(".")
    sides = [part for part in parts if part in ("encoder", "decoder")]
    config: Any = module.config
    causal = getattr(module, "is_causal", False) or getattr(config, "is_decoder", False)
    side = sides[0] if sides else "decoder" if causal else "encoder"
    if side == "encoder" and getattr(config, "is_decoder", False) and "decoder" not in sides:
        side = "decoder"
    at = next((place for place, part in enumerate(parts) if part.isdigit()), len(parts) - 1)
    return side, int(parts[at]) if parts[at].isdigit() else 0, ".".join(parts[: at + 1])


def depths(module: nn.Module, number: int) -> list[int]:
    """The depths at which a layer works: its own, or several where groups of layers share one (ALBERT)."""
    config: Any = module.config
    groups = getattr(config, "num_hidden_groups", None)
    if groups is None:
        return [number]
    return [depth for depth in range(config.num_hidden_layers) if depth * groups // config.num_hidden_layers == number]


def open_up(module: nn.Module) -> None:
    """Make room for taps; a second time does nothing."""
    if "taps" in vars(module):
        return
    vars(module)["taps"] = ()
    if attends(module):
        vars(module)["_regard_calls"] = [0, 0]
        vars(module)["_regard_hook"] = module.register_forward_hook(ran)
        switch(module.config)
    else:
        vars(module)["_regard_hook"] = module.register_forward_hook(passed)


def close(module: nn.Module) -> None:
    """Leave the layer and its config as they were."""
    vars(module).pop("_regard_hook").remove()
    vars(module).pop("_regard_calls", None)
    del vars(module)["taps"]
    if attends(module):
        switch_back(module.config)


def switch(config: Any) -> None:
    """Have a config name our function; layers that share it are counted."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(NAME, attention)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    _, before, count = _switched.get(id(config), (config, config._attn_implementation, 0))
    _switched[id(config)] = (config, before, count + 1)
    config._attn_implementation_internal = NAME


def switch_back(config: Any) -> None:
    _, before, count = _switched.pop(id(config))
    if count > 1:
        _switched[id(config)] = (config, before, count - 1)
    else:
        config._attn_implementation_internal = before


def passed(module: nn.Module, given: Any, out: Any) -> None:
    """A block has put something out."""
    for tap in at_work(vars(module)["taps"]):
        tap.passed(out[0] if isinstance(out, tuple) else out)


def ran(module: nn.Module, given: Any, out: Any) -> None:
    """A layer has run: it must have called our function, or somebody would be shown nothing."""
    calls = vars(module)["_regard_calls"]
    if at_work(vars(module)["taps"]):
        calls[0] += 1
        if calls[1] < calls[0]:
            name = type(module).__name__
            raise RegardError(f"{name} does not attend through transformers' interface: it cannot be looked at")


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    position_bias: Tensor | None = None,
    **others: Any,
) -> tuple[Tensor, Tensor | None]:
    """transformers' attention function, through attend(): (batch, queries, heads, width)."""
    taps = at_work(vars(module).get("taps", ()))
    if not taps:
        told = {"dropout": dropout, "scaling": scaling, "is_causal": is_causal, "position_bias": position_bias}
        told = {name: value for name, value in told.items() if value is not None}
        return usual(module)(module, query, key, value, attention_mask, **told, **others)
    vars(module)["_regard_calls"][1] += 1
    if strange := [name for name in UNKNOWN if others.get(name) is not None]:
        raise RegardError(f"{type(module).__name__} uses {', '.join(strange)}, which cannot be looked at")
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    mask, bias = masked(attention_mask, position_bias, causal and query.shape[2] > 1, key.shape[2])
    gathered = attend(query, key, value, score=Dot(scaling), mask=mask, bias=bias, taps=taps, dropout=dropout)
    return gathered.transpose(1, 2).contiguous(), None


def usual(module: nn.Module) -> Callable[..., tuple[Tensor, Tensor | None]]:
    """The function that a layer would have called."""
    from transformers import AttentionInterface

    known = _switched.get(id(module.config))
    before = known[1] if known else "sdpa"
    if before == "eager":
        return sys.modules[type(module).__module__].eager_attention_forward
    return AttentionInterface()[before or "sdpa"]


def masked(
    allowed: Tensor | None, position_bias: Tensor | None, is_causal: bool, keys: int
) -> tuple[Mask | None, Bias | None]:
    """transformers' mask and position bias as ours: True = may look, floats are added."""
    bias, mask = position_bias, None
    if allowed is None:
        mask = Causal() if is_causal else None
    elif allowed.dtype == torch.bool:
        allowed = allowed[..., :keys]
        rows_alike = allowed.shape[1] == allowed.shape[2] == 1
        mask = Padding(allowed[:, 0, 0]) if rows_alike else Dense(allowed)
    else:
        bias = allowed[..., :keys] if bias is None else bias + allowed[..., :keys]
    return mask, None if bias is None else Given(bias)
