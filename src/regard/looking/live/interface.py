"""transformers' tables of attention functions and masks, asked along the way while somebody looks.

Layers take the function that attends from one table, and models the one that makes their masks from another. Both
tables hand out what they always do; here is noted, for a layer under somebody's eyes, what it was called with, and of a
mask which padding it was made from.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from regard.attention.taps import any_active
from regard.looking.live.calls import Arguments, layer_call, remember
from regard.looking.live.flex import attend_flex, is_flex

_lookers = 0
_get_interface: Callable[..., Any] | None = None


def open_up() -> None:
    """Somebody begins to look."""
    global _lookers, _get_interface
    _lookers += 1
    if _lookers > 1:
        return
    from transformers import AttentionInterface, AttentionMaskInterface

    _get_interface = AttentionInterface.get_interface
    AttentionInterface.get_interface = get_interface  # type: ignore[method-assign]  # theirs, put back by close()
    AttentionMaskInterface.__getitem__ = get_mask_function  # type: ignore[method-assign]  # as above


def close() -> None:
    """Somebody has looked enough; the last one leaves the tables as they were."""
    global _lookers
    _lookers -= 1
    if _lookers:
        return
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.get_interface = _get_interface  # type: ignore[method-assign,assignment]  # as it was
    del AttentionMaskInterface.__getitem__  # it was inherited


def get_interface(table: Any, implementation: str, default: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a layer attends with; it notes its arguments where somebody looks."""
    assert _get_interface is not None
    function = _get_interface(table, implementation, default)
    return partial(attend_and_note, function) if layer_call() is not None else function


def attend_and_note(
    function: Callable[..., Any],
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any = None,
    scaling: float | None = None,
    **others: Any,
) -> Any:
    """Call transformers' attention function, and remember with what."""
    call = layer_call()
    kwargs = others if scaling is None else {**others, "scaling": scaling}
    if call is None:
        return function(module, query, key, value, attention_mask, **kwargs)
    call.functions += 1
    call.arguments = Arguments(query, key, value, scaling, attention_mask, others)
    if is_flex(function):
        return attend_flex(call, partial(function, module, query, key, value, attention_mask, **kwargs))
    return function(module, query, key, value, attention_mask, **kwargs)


def get_mask_function(table: Any, name: str) -> Callable[..., Any]:
    """The function that makes masks; where a watched model runs it remembers from which padding."""
    local, shared = table._local_mapping, table._global_mapping
    return partial(make_mask, local[name] if name in local else shared[name])


def make_mask(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    mask = function(*args, **kwargs)
    if any_active():
        remember(mask, kwargs.get("attention_mask"))
    return mask
