"""Who takes the steps of a model of torch: the engine, or the model itself."""

import logging
from typing import TypeVar

from torch import nn

from regard.engine import library as engine_library
from regard.engine.build import is_off, why
from regard.engine.packed_model import PRECISIONS
from regard.engine.packing import is_packed, pack
from regard.engine.parts import Unsupported
from regard.engine.steps import Engine
from regard.errors import lookup
from regard.models import Decoder, Transformer

Model = TypeVar("Model")

_told: set[str] = set()


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
    library = engine_library.library(wait or is_wanted)
    try:
        if library is None:
            raise Unsupported(why() or "the engine is switched off, or its library cannot be loaded")
        if not is_packed(model, precision):
            pack(library, model, precision)
        assert isinstance(model, Transformer | Decoder)
        return Engine(model, lambda: pack(library, model, precision), lambda reason: tell(reason, is_wanted))
    except Unsupported as problem:
        tell(str(problem), is_wanted, is_slow_path=not is_off())
        return model


def tell(reason: str, is_wanted: bool, *, is_slow_path: bool = False) -> None:
    """Say once that the model itself serves, louder where a precision was asked for; a command shows it where all texts
    are slower for it, and nobody wanted that."""
    if reason not in _told:
        _told.add(reason)
        level = logging.WARNING if is_wanted else logging.INFO
        message = "PyTorch takes the steps, in float32: %s"
        logging.getLogger("regard").log(level, message, reason, extra={"is_slow_path": is_slow_path})
