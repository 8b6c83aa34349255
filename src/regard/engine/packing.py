"""Models in the engine: packed when first wanted, and anew when they have changed."""

from weakref import WeakKeyDictionary

import torch
from torch import nn

from regard.engine.fingerprint import Fingerprint
from regard.engine.library import EngineError, Library
from regard.engine.module_parts import module_parts
from regard.engine.packed_model import PackedModel
from regard.engine.packer import pack_parts
from regard.engine.parts import Unsupported
from regard.errors import RegardError

_packed: WeakKeyDictionary[nn.Module, dict[str, tuple[Fingerprint, PackedModel]]] = WeakKeyDictionary()


def pack(library: Library, model: nn.Module, precision: str) -> PackedModel:
    """The model as it is now. Raises Unsupported where the engine cannot run it."""
    by_precision = _packed.setdefault(model, {})
    if precision in by_precision:
        fingerprint, packed_model = by_precision[precision]
        if fingerprint.fits(model):
            return packed_model
        by_precision.pop(precision, None)  # another thread may have been here
    try:
        with torch.no_grad():
            # First the fingerprint: what is written while weights are packed does not fit it.
            fingerprint = Fingerprint(library, model)
            packed_model = pack_parts(library, module_parts(model), precision)
    except EngineError as problem:
        raise Unsupported(str(problem)) from None
    by_precision[precision] = fingerprint, packed_model
    return packed_model


def is_packed(model: nn.Module, precision: str) -> bool:
    """Whether the model was packed before; it may have changed since."""
    return precision in _packed.get(model, {})


def refresh(model: nn.Module) -> None:
    """Have the engine read the weights of a model again before its next text.

    Weights that are loaded, copied, learned or swapped are noticed without it, and so is what is written through
    `.data`, within a second where few numbers change. This is for who cannot wait, and for settings that are no
    weights: `norm.eps`, `rotary.base`. A part of a model will do; the whole is read again.
    """
    if not isinstance(model, nn.Module):
        raise RegardError(f"{type(model).__name__} is no torch module: give the model, of a task its .model")
    for reference in _packed.keyrefs():
        whole = reference()
        if whole is not None and any(part is model for part in whole.modules()):
            _packed.pop(whole, None)
