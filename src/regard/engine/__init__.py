"""The compiled step: C++ in source/, built once, and never in the way of a model that it cannot run."""

import logging
from typing import TypeVar

from torch import nn

from regard.engine.build import why
from regard.engine.library import EngineError, library
from regard.engine.packed_model import PRECISIONS
from regard.engine.packing import is_packed, pack, refresh
from regard.engine.parts import Unsupported
from regard.engine.steps import Engine
from regard.engine.top import top
from regard.errors import lookup
from regard.models import Decoder, Transformer

__all__ = ["PRECISIONS", "Engine", "EngineError", "Unsupported", "refresh", "serve", "top"]

_told: set[str] = set()

Model = TypeVar("Model")


def serve(model: Model, precision: str = "float32", *, wait: bool = False) -> Engine | Model:
    """What takes the steps of a model: the engine, or the model itself where the engine cannot.

    The engine is built when it is first wanted, and the model serves meanwhile; `wait` stays until it is there. A
    precision other than float32 waits, too: only the engine has it. Whether a model has changed is looked at when a
    text begins.
    """
    lookup(PRECISIONS, precision, "precision")
    if not isinstance(model, nn.Module):
        return model
    is_wanted = precision != "float32"
    engine_library = library(wait or is_wanted)
    try:
        if engine_library is None:
            raise Unsupported(why() or "the engine is switched off, or its library cannot be loaded")
        if not is_packed(model, precision):
            pack(engine_library, model, precision)
        assert isinstance(model, Transformer | Decoder)
        return Engine(model, lambda: pack(engine_library, model, precision), lambda reason: tell(reason, is_wanted))
    except Unsupported as problem:
        tell(str(problem), is_wanted)
        return model


def tell(reason: str, is_wanted: bool) -> None:
    """Say once that the model itself serves, louder where a precision was asked for."""
    if reason not in _told:
        _told.add(reason)
        level = logging.WARNING if is_wanted else logging.INFO
        logging.getLogger("regard").log(level, "PyTorch takes the steps, in float32: %s", reason)
