"""Hooks that tell when a live model and its layers run; taken away again without a trace."""

import inspect
import threading
from functools import cache, partial

from torch import Tensor, nn

from regard.attention.taps import active_taps
from regard.errors import RegardError
from regard.looking.live import interface
from regard.looking.live.calls import LayerCall, begin, model_call, running
from regard.looking.live.intercept import Intercept
from regard.looking.live.layers import attends, pretrained

_lock = threading.Lock()


def open_up(module: nn.Module) -> None:
    """Make room for taps on a model, a block or an attention layer; a second time does nothing."""
    own = vars(module)
    if "taps" in own:
        return
    own["taps"] = ()
    hooks = []
    if isinstance(module, pretrained()):
        hooks.append(module.register_forward_pre_hook(enter_model, with_kwargs=True))
        hooks.append(module.register_forward_hook(leave, always_call=True))
        with _lock:
            interface.open_up()
    elif attends(module):
        hooks.append(module.register_forward_pre_hook(enter_layer, with_kwargs=True))
        hooks.append(module.register_forward_hook(leave, always_call=True))
    else:
        hooks.append(module.register_forward_hook(see_block))
    own["_regard_hooks"] = hooks


def close(module: nn.Module) -> None:
    """Leave the module as it was."""
    for hook in vars(module).pop("_regard_hooks"):
        hook.remove()
    del vars(module)["taps"]
    if isinstance(module, pretrained()):
        running.forget()
        with _lock:
            interface.close()


def see_block(module: nn.Module, args: tuple[object, ...], output: object) -> None:
    """A block has put something out. Several streams side by side, as Gemma 3n has, are none that could be shown."""
    x = output[0] if isinstance(output, tuple) and output else output
    if isinstance(x, Tensor) and x.ndim == 3:
        for tap in active_taps(vars(module).get("taps", ())):
            tap.block_output(x)


def enter_model(module: nn.Module, args: tuple[object, ...], kwargs: dict[str, object] | None = None) -> None:
    """A model begins to run: what it was told about padding. A hook that another thread has just taken away is called
    without names, and does nothing."""
    if kwargs is not None and active_taps(vars(module).get("taps", ())):
        running.calls.append((module, model_call(by_name(module, args) | kwargs), None))


def enter_layer(module: nn.Module, args: tuple[object, ...], kwargs: dict[str, object] | None = None) -> None:
    """An attention layer begins to run: while somebody looks, its calls of kernel and softmax are met."""
    taps = active_taps(vars(module).get("taps", ()))
    if taps and kwargs is not None:
        call = begin(module, taps, by_name(module, args) | kwargs)
        mode = Intercept(call)
        running.calls.append((module, call, mode))
        mode.__enter__()


def leave(module: nn.Module, args: tuple[object, ...], output: object) -> None:
    """A model or layer has run, or failed: whatever was begun in it ends."""
    if not any(other is module for other, _, _ in running.calls):
        return
    other = call = mode = None
    while other is not module:
        other, call, mode = running.calls.pop()
        if mode is not None:
            mode.__exit__(None, None, None)
    if not isinstance(call, LayerCall) or output is None:
        return
    if call.obstacle or call.softmaxes not in (1, call.functions or 1):
        reason = call.obstacle or unmet_reason(call.softmaxes, module)
        raise RegardError(f"{type(module).__name__} cannot be watched: {reason}")


def unmet_reason(softmaxes: int, module: nn.Module) -> str:
    """Why the weights of a layer were not met once."""
    if softmaxes:
        return f"it attends by {softmaxes} softmaxes in one call"
    implementation = getattr(getattr(module, "config", None), "_attn_implementation", None)
    note = f" (attention implementation {implementation!r})" if implementation else ""
    return f"it called neither torch's fused attention nor a softmax{note}; sdpa and eager can be watched"


def by_name(module: nn.Module, args: tuple[object, ...]) -> dict[str, object]:
    """What a module was called with by position, under the names that its forward pass has for it."""
    return dict(zip(parameters(type(module)), args, strict=False))


@cache
def parameters(kind: type[nn.Module]) -> tuple[str, ...]:
    """The names of what a module's forward pass takes."""
    return tuple(inspect.signature(partial(kind.forward, None)).parameters)
