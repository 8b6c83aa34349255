"""What a live model is doing in this thread: which model and layer run, and which tokens their keys are."""

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard.attention import Pattern
from regard.attention.taps import Taps

if TYPE_CHECKING:
    from regard.looking.live.patterns import KnownPositions

OTHER_TEXT = (
    "key_value_states",
    "encoder_hidden_states",
    "cross_attention_states",
)  # as layers call the text that is not their own
KEPT_STANDINGS = 4  # masks of which it is known what they allow
KEPT_MASKS = 16  # masks of which it is known what padding they were made from


class Arguments(NamedTuple):
    """What a layer handed to transformers' attention function."""

    query: Tensor
    key: Tensor
    value: Tensor
    scaling: float | None
    attention_mask: Any  # a tensor, or what flex attention takes for one
    others: dict[str, Any]


@dataclass
class ModelCall:
    """A model, or one stack of it, that runs: what it was told about padding, (batch, tokens so far)."""

    attention_mask: Tensor | None = None
    encoder_attention_mask: Tensor | None = None


@dataclass
class LayerCall:
    """An attention layer that runs while somebody looks at it."""

    module: nn.Module
    taps: Taps
    is_cross: bool
    batch: int | None = None
    cached: bool = False  # keys come from a cache, which may hold empty positions behind them
    first_query: int = 0  # tokens of the text before the first query
    first_key: int | None = None  # tokens that the cache has dropped before the first key; None: as the keys are many
    expected_keys: int | None = None  # what the cache will hand out, if it says
    attention_mask: object = None
    arguments: Arguments | None = None
    functions: int = 0  # calls of transformers' attention function
    softmaxes: int = 0  # times that weights were met
    obstacle: str | None = None  # why what was met cannot be told


class Running(threading.local):
    """The calls that this thread is in the middle of, outermost first, and masks with what they were made from."""

    def __init__(self) -> None:
        self.calls: list[tuple[nn.Module, ModelCall | LayerCall, TorchFunctionMode | None]] = []
        self.masks: deque[tuple[Tensor, Tensor]] = deque(maxlen=KEPT_MASKS)
        self.positions: deque[KnownPositions] = deque(maxlen=KEPT_STANDINGS)

    def forget(self) -> None:
        """Let go of what was kept for calls that are over."""
        self.masks.clear()
        self.positions.clear()


running: Running = Running()


def layer_call() -> LayerCall | None:
    """The layer that runs here under somebody's eyes: the innermost call, if it is one."""
    call = running.calls[-1][1] if running.calls else None
    return call if isinstance(call, LayerCall) else None


def begin(module: nn.Module, taps: Taps, kwargs: dict[str, Any]) -> LayerCall:
    """Find out, before a layer runs, where its queries and keys will stand. `kwargs` is all that it is called with."""
    is_cross = any(kwargs.get(name) is not None for name in OTHER_TEXT) or "CrossAttention" in type(module).__name__
    call = LayerCall(module, taps, is_cross, attention_mask=kwargs.get("attention_mask"))
    hidden = next((value for value in kwargs.values() if isinstance(value, Tensor)), None)
    if hidden is None or hidden.ndim != 3:
        return call
    call.batch, queries = hidden.shape[:2]
    slot = getattr(module, "layer_idx", None)
    cache = next((value for value in kwargs.values() if is_cache(value)), None)
    if cache is None or slot is None:
        return call
    if is_cross:  # the layer's own text has been read before it looks at the other
        text = getattr(cache, "self_attention_cache", None)
        call.first_query = max(int(text.get_seq_length(slot)) - queries, 0) if text is not None else 0
        return call
    shared = getattr(module, "kv_shared_layer_index", None)
    if shared is not None:  # another layer has written the keys of this pass already
        call.cached, call.first_query = True, max(int(cache.get_seq_length(shared)) - queries, 0)
        return call
    slot += kwargs.get("cycle_offset") or 0  # layers that are gone through several times have a slot for each
    call.cached, call.first_query = True, int(cache.get_query_offset(slot))
    call.expected_keys, call.first_key = map(int, cache.get_mask_sizes(queries, slot))
    return call


def is_cache(value: object) -> bool:
    return hasattr(value, "get_mask_sizes") and hasattr(value, "get_query_offset")


def remember(mask: object, attention_mask: Tensor | None) -> None:
    """Keep in mind which padding a mask was made from."""
    if isinstance(mask, Tensor) and attention_mask is not None and attention_mask.ndim == 2:
        running.masks.append((mask, attention_mask.bool()))


def tokens_of(call: LayerCall) -> Tensor | None:
    """Which of the keys of a call are tokens, from the first of the text on: (batch, tokens so far). None: all."""
    masks = [call.attention_mask, call.arguments.attention_mask if call.arguments else None]
    for mask in masks:
        if isinstance(mask, Tensor) and mask.ndim == 2 and mask.dtype in (torch.bool, torch.long, torch.int):
            return mask.bool()
        for made, tokens in reversed(running.masks):
            if isinstance(mask, Tensor) and mask.untyped_storage().data_ptr() == made.untyped_storage().data_ptr():
                return tokens
    model = next((call for _, call, _ in reversed(running.calls) if isinstance(call, ModelCall)), ModelCall())
    return model.encoder_attention_mask if call.is_cross else model.attention_mask


def model_call(kwargs: Mapping[str, object]) -> ModelCall:
    """What a model was told about padding."""
    masks = (kwargs.get(name) for name in ("attention_mask", "encoder_attention_mask"))
    flat = (mask.bool() if isinstance(mask, Tensor) and mask.ndim == 2 else None for mask in masks)
    return ModelCall(*flat)


def edit(call: LayerCall, pattern: Pattern) -> Pattern:
    """All edits of a layer."""
    for tap in call.taps:
        pattern = tap.edit(pattern)
    return pattern


def see(call: LayerCall, pattern: Pattern) -> None:
    """Everybody sees what was really used."""
    for tap in call.taps:
        tap.see(pattern)
