"""The named places of a model where one may look and edit."""

import threading
from collections.abc import Iterable
from fnmatch import fnmatchcase

from torch import nn

from regard.attention.taps import Tap
from regard.errors import RegardError, UnknownName
from regard.layers import Block, MultiHead
from regard.looking import torch_layers

WRAPPERS = {"module", "_orig_mod", "_checkpoint_wrapped_module", "_fsdp_wrapped_module"}
CONTAINERS = {"blocks", "layers", "stack"}
NAMES = {"self_attn": "self", "multihead_attn": "cross"}  # as torch.nn calls them
_lock = threading.Lock()


class Places:
    """The attention layers and the blocks of a model, by name: `encoder.0.self`, `encoder.0`."""

    def __init__(self, model: nn.Module) -> None:
        self.layers: dict[str, nn.Module] = {}
        self.blocks: dict[str, nn.Module] = {}
        for path, module in model.named_modules(remove_duplicate=False):
            if isinstance(module, MultiHead | nn.MultiheadAttention):
                self.layers[place_name(path)] = module
            elif isinstance(module, Block | nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                self.blocks[place_name(path)] = module
        if not self.layers:
            raise RegardError(f"{type(model).__name__} has no attention layer that can be looked at")

    @property
    def names(self) -> list[str]:
        return [*self.layers, *self.blocks]

    def chosen(self, wanted: Iterable[str]) -> list[str]:
        """The names that fit any of these, which may hold * and ?."""
        found: dict[str, None] = {}
        for pattern in wanted:
            fits = [name for name in self.names if fnmatchcase(name, pattern)]
            if not fits:
                raise UnknownName(f"no place fits {pattern!r}: known: {shortened(self.names)}")
            found.update(dict.fromkeys(fits))
        return [name for name in self.names if name in found]

    def module(self, name: str) -> nn.Module:
        return self.layers[name] if name in self.layers else self.blocks[name]


def place_name(path: str) -> str:
    """`encoder.blocks.0.self` is the place `encoder.0.self`; a lone layer is `self`."""
    parts = [NAMES.get(part, part) for part in path.split(".") if part not in WRAPPERS | CONTAINERS]
    return ".".join(parts) or "self"


def shortened(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f", … ({len(names)} in all)" if len(names) > most else "")


def attach(module: nn.Module, tap: Tap) -> None:
    """Put a tap on a layer or block. Others that run there now keep the tuple that they have read."""
    with _lock:
        if isinstance(module, torch_layers.FOREIGN):
            torch_layers.open_up(module)
        module.taps = (*module.taps, tap)  # type: ignore[assignment]


def detach(module: nn.Module, tap: Tap) -> None:
    with _lock:
        module.taps = tuple(other for other in module.taps if other is not tap)  # type: ignore[assignment, union-attr]
        if isinstance(module, torch_layers.FOREIGN) and not module.taps:
            torch_layers.close(module)
