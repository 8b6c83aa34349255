"""How large a model is, before there is one."""

import os
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from regard.config import Config
from regard.errors import RecipeError
from regard.models import build


class Unfilled(TorchFunctionMode):
    """Leaves tensors as they are, whatever they are to be filled with: drawing numbers of no size makes torch load its
    compiler, which takes seconds."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name.endswith("_") and not name.endswith("__"):
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def model_bytes(config: Config) -> int:
    """What the tensors of a model take, those that layers share counted once; nothing is computed."""
    with torch.device("meta"), Unfilled():
        model = build(config)
    return sum(tensor.numel() * tensor.element_size() for tensor in (*model.parameters(), *model.buffers()))


def check_size(config: Config) -> None:
    """Raise RecipeError where the tensors of the model alone are more than this machine's memory."""
    size, memory = model_bytes(config), machine_memory()
    if memory is not None and size > memory:
        raise RecipeError(
            f"model: its weights alone take {size / 2**30:,.1f} GB, and this machine has {memory / 2**30:,.1f}: "
            "smaller model.width, model.layers or model.max_positions expected"
        )


def machine_memory() -> int | None:
    """Bytes of memory; None where the system does not say."""
    try:
        pages = os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") if pages > 0 else None
