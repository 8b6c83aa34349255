"""The names of a model's layers and blocks, where one may look and edit."""

import threading
from collections.abc import Iterable
from fnmatch import fnmatchcase
from types import ModuleType

from torch import nn

from regard.attention.taps import Tap
from regard.errors import RegardError, UnknownName
from regard.layers import AlignmentAttention, MemoryHop, MultiHead, TransformerBlock
from regard.looking import live, torch_layers

WRAPPERS = {"module", "_orig_mod", "_checkpoint_wrapped_module", "_fsdp_wrapped_module"}
CONTAINERS = {"blocks", "layers", "stack"}
NAMES = {"self_attn": "self", "multihead_attn": "cross"}  # as torch.nn calls them
_lock = threading.Lock()


class LayerNames:
    """The attention layers and the blocks of a model, by name: `encoder.0.self`, `encoder.0`."""

    def __init__(self, model: nn.Module, *, strict: bool = True) -> None:
        self.layers: dict[str, nn.Module] = {}
        self.blocks: dict[str, nn.Module] = {}
        self.left_out: dict[str, str] = {}
        self.around: list[nn.Module] = [module for module in model.modules() if isinstance(module, torch_layers.FAST)]
        if live.is_live(model):
            live_layers = live.attention_layers(model)
            self.layers, self.blocks, self.left_out = live_layers.layers, live_layers.blocks, live_layers.left_out
            self.around += [module for module in model.modules() if isinstance(module, live.pretrained())]
        for path, module in model.named_modules(remove_duplicate=False):
            if isinstance(module, MultiHead | AlignmentAttention | MemoryHop | nn.MultiheadAttention):
                put(self.layers, path, module, alone="self")
            elif isinstance(module, TransformerBlock | nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                put(self.blocks, path, module, alone="block")
        if strict and not self.layers:
            raise RegardError(refusal(type(model).__name__, self.left_out))

    @property
    def names(self) -> list[str]:
        return [*self.layers, *self.blocks]

    def match(self, patterns: Iterable[str], among: Iterable[str] | None = None) -> list[str]:
        """The names, all or among some, that fit any of these, which may hold * and ?."""
        return match_names(patterns, self.names if among is None else list(among))

    def of(self, module: nn.Module) -> list[str]:
        """All names of a layer or block."""
        return [name for name in self.names if self.module(name) is module]

    def module(self, name: str) -> nn.Module:
        return self.layers[name] if name in self.layers else self.blocks[name]


def refusal(model: str, left_out: dict[str, str]) -> str:
    """Why nothing of a model can be watched."""
    if not left_out:
        return f"{model} has no attention layer that could be watched"
    return f"{model} has no attention layer that can be watched: {reasons(left_out)}"


def reasons(left_out: dict[str, str]) -> str:
    """Layers that are left out, with the reason of each kind."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        by_reason.setdefault(reason, []).append(name)
    return "; ".join(f"{shorten(names, 4)}: {reason}" for reason, names in by_reason.items())


def match_names(patterns: Iterable[str], names: list[str]) -> list[str]:
    """Those of the names, in order, that fit any of these patterns; one that fits none is an error."""
    matched: dict[str, None] = {}
    for pattern in patterns:
        fitting = [name for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            raise UnknownName(f"no layer fits {pattern!r}: known: {shorten(names)}")
        matched.update(dict.fromkeys(fitting))
    return [name for name in names if name in matched]


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether a name fits any of these patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def put(table: dict[str, nn.Module], path: str, module: nn.Module, alone: str) -> None:
    """Enter a module under its name, or under its whole path where another has that name."""
    name = short_name(path, alone)
    table[name if table.get(name, module) is module else path] = module


def short_name(path: str, alone: str = "self") -> str:
    """`encoder.blocks.0.self` is the layer `encoder.0.self`; a lone layer is `self`, a lone block `block`."""
    parts = [NAMES.get(part, part) for part in path.split(".") if part not in WRAPPERS | CONTAINERS]
    return ".".join(parts) or alone


def attends_to_source(layer: str) -> bool:
    """Whether the keys of a layer are tokens of the source."""
    return not {"encoder", "hop"}.isdisjoint(layer.split(".")) or layer.endswith(("cross", "align"))


def reads_source(layer: str) -> bool:
    """Whether the queries of a layer are tokens of the source, too."""
    return attends_to_source(layer) and not layer.endswith(("cross", "align"))


class LayerTap(Tap):
    """A tap that knows its layer's names. A layer that stands at several depths comes by each of them in turn."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.calls: int = 0

    def next_name(self) -> str:
        """The name of the layer in this call."""
        self.calls += 1
        return self.names[(self.calls - 1) % len(self.names)]


def shorten(names: list[str], max_names: int = 12) -> str:
    return ", ".join(names[:max_names]) + (f", … ({len(names)} in all)" if len(names) > max_names else "")


def attach(module: nn.Module, tap: Tap) -> None:
    """Put a tap on a layer or block. Others that run there now keep the tuple that they have read."""
    with _lock:
        if foreign := home(module):
            foreign.open_up(module)
        module.taps = (*module.taps, tap)  # type: ignore[assignment]  # whatever is open has taps


def detach(module: nn.Module, tap: Tap) -> None:
    with _lock:
        module.taps = tuple(other for other in module.taps if other is not tap)  # type: ignore[union-attr]  # too
        if (foreign := home(module)) and not module.taps:
            foreign.close(module)


def home(module: nn.Module) -> ModuleType | None:
    """Who knows how to open up a layer that is not ours."""
    if isinstance(module, MultiHead | AlignmentAttention | MemoryHop | TransformerBlock):
        return None
    return torch_layers if isinstance(module, torch_layers.FOREIGN) else live
