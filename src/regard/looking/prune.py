"""A model without some of its heads: really smaller, not merely gated."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import TypeVar

from torch import nn

from regard.config.pruning import with_pruned
from regard.errors import RegardError, UnknownName
from regard.layers import MultiHead
from regard.looking.layer_names import LayerNames, shorten

Whole = TypeVar("Whole", bound=nn.Module)


def prune(model: Whole, heads: Mapping[str, Iterable[int]]) -> Whole:
    """A smaller model that does what this one does with these heads switched off; this one stays as it is.

    `prune(model, {"encoder.0.self": [0, 3]})`: names may hold * and ?, and heads are called by the numbers that they
    have in the whole model, whatever was taken out of it before. A layer that serves at several depths (ALBERT) loses
    the same heads at all of them. At least one head stays in every layer.
    """
    pruned_heads = heads_by_layer(LayerNames(model), heads)
    smaller = deepcopy(model)
    for module in smaller.modules():
        vars(module).pop("taps", None)  # who looks at the one does not look at the other
    layer_modules = LayerNames(smaller).layers
    for module, layer in {layer_modules[layer]: layer for layer in pruned_heads}.items():
        assert isinstance(module, MultiHead)
        module.keep(tuple(head for head in module.split.remaining_heads if head not in pruned_heads[layer]))
    if hasattr(smaller, "config"):
        smaller.config = with_pruned(smaller.config, pruned_heads)  # type: ignore[assignment]  # ours have one
    return smaller


def heads_by_layer(layer_names: LayerNames, heads: Mapping[str, Iterable[int]]) -> dict[str, set[int]]:
    """The heads to take out of every layer, checked."""
    pruned_heads: dict[str, set[int]] = {}
    for pattern, numbers in heads.items():
        numbers = [int(number) for number in numbers]
        for layer in layer_names.match([pattern], among=layer_names.layers):
            pruned_heads.setdefault(layer, set()).update(numbers)
    pruned_heads = {layer: numbers for layer, numbers in pruned_heads.items() if numbers}
    for layer, numbers in pruned_heads.items():
        head_numbers = remaining_heads(layer_names, layer)
        if unknown := sorted(numbers - {*head_numbers}):
            raise UnknownName(f"{layer} has no head {unknown[0]}: its heads are {', '.join(map(str, head_numbers))}")
        if len(numbers) == len(head_numbers):
            raise RegardError(f"{layer} has {len(head_numbers)} heads, all of which were to go: at least one stays")
        shared_names = layer_names.of(layer_names.layers[layer])
        if any(pruned_heads.get(other) != numbers for other in shared_names):
            raise RegardError(f"{shorten(shared_names)} are one layer: it loses the same heads in all depths")
    return pruned_heads


def remaining_heads(layer_names: LayerNames, layer: str) -> tuple[int, ...]:
    """The heads of a layer, by the numbers that they have in the whole model."""
    attention = layer_names.layers[layer]
    if not isinstance(attention, MultiHead):
        raise RegardError(
            f"{layer} is a {type(attention).__name__}: heads are taken out of layers of regard's own, into which "
            "regard.load turns a checkpoint"
        )
    return attention.split.remaining_heads


def head_numbers(module: nn.Module, count: int) -> tuple[int, ...]:
    """The numbers that the heads of any layer have in the whole model; `count` is how many it has now."""
    return module.split.remaining_heads if isinstance(module, MultiHead) else tuple(range(count))
