"""The compiled step: C++ in source/, built once, and never in the way of a model that it cannot run."""

import logging
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import nn

from regard.engine.build import why
from regard.engine.library import EngineError, library
from regard.engine.mark import marked
from regard.engine.packed import PRECISIONS, Packed, Unsupported
from regard.engine.steps import Engine
from regard.engine.top import top
from regard.errors import lookup

__all__ = ["PRECISIONS", "Engine", "EngineError", "Unsupported", "serve", "top"]

_packed: WeakKeyDictionary[nn.Module, dict[str, tuple[Any, Packed]]] = WeakKeyDictionary()
_told: set[str] = set()


def serve(model: Any, precision: str = "float32", *, wait: bool = False) -> Any:
    """What takes the steps of a model: the engine, or the model itself where the engine cannot.

    The engine is built when it is first wanted, and the model serves meanwhile; `wait` stays until it is there. A
    precision other than float32 waits, too: only the engine has it.
    """
    lookup(PRECISIONS, precision, "precision")
    if not isinstance(model, nn.Module):
        return model
    is_wanted = precision != "float32"
    found = library(wait or is_wanted)
    try:
        if found is None:
            raise Unsupported(why() or "the engine is switched off, or its library cannot be loaded")
        return Engine(model, packed(found, model, precision), lambda reason: tell(reason, is_wanted))
    except Unsupported as problem:
        tell(str(problem), is_wanted)
        return model


def packed(found: Any, model: nn.Module, precision: str) -> Packed:
    """The model in the engine, packed anew whenever its weights have changed."""
    mark = marked(model)
    known = _packed.setdefault(model, {})
    if precision not in known or known[precision][0] != mark:
        with torch.no_grad():
            known[precision] = mark, Packed(found, model, precision)
    return known[precision][1]


def tell(reason: str, is_wanted: bool) -> None:
    """Say once that the model itself serves, louder where a precision was asked for."""
    if reason not in _told:
        _told.add(reason)
        level = logging.WARNING if is_wanted else logging.INFO
        logging.getLogger("regard").log(level, "PyTorch takes the steps, in float32: %s", reason)
