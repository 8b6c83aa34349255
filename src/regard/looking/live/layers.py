"""Which layers of a live model attend, what they are called here, and which of them cannot be watched."""

import sys
from dataclasses import dataclass, field

from torch import nn

from regard.looking.live.names import LayerName, config_of, depths, layer_name
from regard.looking.live.obstacles import attends, meets, obstacle


@dataclass
class Layers:
    """The attention layers and blocks of a live model by our names, and the layers left out, with the reason."""

    layers: dict[str, nn.Module] = field(default_factory=dict)
    blocks: dict[str, nn.Module] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def pretrained() -> tuple[type[nn.Module], ...]:
    """The class of transformers' models, if somebody has imported any."""
    library = sys.modules.get("transformers.modeling_utils")
    return (library.PreTrainedModel,) if library is not None and hasattr(library, "PreTrainedModel") else ()


def is_live(model: nn.Module) -> bool:
    """Whether this is a model of transformers, or holds one."""
    return any(isinstance(module, pretrained()) for module in model.modules())


def attention_layers(model: nn.Module) -> Layers:
    """Attention layers and blocks under our names; a layer that serves several depths stands under each."""
    names = [layer_name(model, path) for path in attending_paths(model)]
    result = Layers()
    short = short_names_suffice(names)
    for name in names:
        module = model.get_submodule(name.path)
        numbers = depths(config_of(model, name.path), name.number)
        layer_names = [name.short(depth) for depth in numbers] if short else [name.path]
        if reason := obstacle(module):
            result.left_out.update(dict.fromkeys(layer_names, reason))
            continue
        result.layers.update(dict.fromkeys(layer_names, module))
        if short and name.blocks:
            around = dict.fromkeys([f"{name.side}.{depth}" for depth in numbers], name.blocks[0])
        else:
            around = {path: path for path in name.blocks}
        result.blocks.update({block: model.get_submodule(path) for block, path in around.items()})
    return result


def attending_paths(model: nn.Module) -> list[str]:
    """The paths of the layers that attend, or say so; what stands inside of a layer that attends is part of it."""
    modules = [(path, module) for path, module in model.named_modules() if not isinstance(module, pretrained())]
    whole = tuple(f"{path}." for path, module in modules if meets(module) and attends(module))
    return [path for path, module in modules if attends(module) and not path.startswith(whole)]


def short_names_suffice(names: list[LayerName]) -> bool:
    """Whether short names will do: no two layers share one, and two sides belong together, one looking at the other."""
    alike = [(name.side, name.number, name.is_cross) for name in names if name.number is not None]
    one_side = len({side for side, _, _ in alike}) < 2
    return len(set(alike)) == len(alike) and (one_side or any(name.is_cross for name in names))
