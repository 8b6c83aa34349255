"""Which heads of a model were taken out: the one thing that a pruned model's config says beyond the whole one's."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from regard.config.models import AlignConfig, Config, VisionConfig
from regard.config.parts import EmbeddedStackConfig, FeatureStackConfig, StackConfig
from regard.errors import RegardError, ShapeError

AnyConfig = TypeVar("AnyConfig", bound=Config)
SIDES = ("encoder", "decoder")
SIDE_CONFIGS = EmbeddedStackConfig | FeatureStackConfig
ALIGN = "align"  # the one layer of a recurrent translator


def pruned_heads(config: object) -> dict[str, list[int]]:
    """The heads that were taken out, by layer: {"encoder.0.self": [1, 3]}."""
    pruned: dict[str, list[int]] = {}
    for name in SIDES:
        if isinstance(side := getattr(config, name, None), SIDE_CONFIGS):
            pruned |= {f"{name}.{layer}": sorted(heads) for layer, heads in side.stack.pruned.items() if heads}
    if isinstance(config, VisionConfig):
        pruned = {layer: sorted(heads) for layer, heads in config.pruned.items() if heads}
    look = getattr(config, ALIGN, None)
    return pruned | ({ALIGN: sorted(look.pruned)} if look is not None and look.pruned else {})


def with_pruned(config: AnyConfig, heads: Mapping[str, Iterable[int]]) -> AnyConfig:
    """A config without these heads, those that were taken out before included."""
    changes: dict[str, object] = {}
    layers = dict(config.pruned) if isinstance(config, VisionConfig) else {}
    for layer, numbers in heads.items():
        name, _, below = layer.partition(".")
        part = changes.get(name, getattr(config, name, None))
        if layer == ALIGN and isinstance(part, AlignConfig):
            changes[name] = replace(part, pruned=all_pruned(part.heads, part.pruned, numbers, layer))
        elif isinstance(part, SIDE_CONFIGS) and is_layer(
            part.stack, below, crosses=name == "decoder" and has_source(config)
        ):
            pruned = all_pruned(part.stack.attention.heads, part.stack.pruned.get(below, ()), numbers, layer)
            changes[name] = replace(part, stack=replace(part.stack, pruned={**part.stack.pruned, below: pruned}))
        elif isinstance(config, VisionConfig) and name == "encoder" and is_layer(config.stack, below, crosses=False):
            layers[layer] = all_pruned(config.heads, layers.get(layer, ()), numbers, layer)
            changes["pruned"] = layers
        else:
            raise RegardError(f"{type(config).__name__} has no layer {layer!r} that heads could be taken out of")
    return replace(config, **changes)


def has_source(config: object) -> bool:
    """Whether a decoder looks at an encoder."""
    return all(isinstance(getattr(config, name, None), SIDE_CONFIGS) for name in SIDES)


def is_layer(stack: StackConfig, below: str, *, crosses: bool) -> bool:
    layer, _, kind = below.partition(".")
    return (kind == "self" or (crosses and kind == "cross")) and layer.isdecimal() and int(layer) < stack.layers


def all_pruned(heads: int, before: Iterable[int], more: Iterable[int], layer: str) -> list[int]:
    """The heads that are gone, in order."""
    pruned = sorted({*before, *more})
    if any(type(head) is not int or not 0 <= head < heads for head in pruned) or len(pruned) == heads:
        raise ShapeError(f"{layer}: heads from 0 to {heads - 1}, not all of them, can be taken out, got {pruned}")
    return pruned
