"""A model without some of its heads: really smaller, not merely gated."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import TypeVar

from torch import nn

from regard.errors import RegardError, UnknownName
from regard.layers import MultiHead
from regard.looking.places import Places, shortened
from regard.models.pruned import with_pruned

Whole = TypeVar("Whole", bound=nn.Module)


def prune(model: Whole, heads: Mapping[str, Iterable[int]]) -> Whole:
    """A smaller model that does what this one does with these heads switched off; this one stays as it is.

    `prune(model, {"encoder.0.self": [0, 3]})`: names may hold * and ?, and heads are called by the numbers that they
    have in the whole model, whatever was taken out of it before. A layer that serves several places (ALBERT) loses the
    same heads in all of them. At least one head stays in every layer.
    """
    gone = named(Places(model), heads)
    smaller = deepcopy(model)
    for module in smaller.modules():
        vars(module).pop("taps", None)  # who looks at the one does not look at the other
    layers = Places(smaller).layers
    for layer, place in {layers[place]: place for place in gone}.items():
        assert isinstance(layer, MultiHead)
        layer.keep(tuple(head for head in layer.split.kept if head not in gone[place]))
    if hasattr(smaller, "config"):
        smaller.config = with_pruned(smaller.config, gone)  # type: ignore[assignment]
    return smaller


def named(places: Places, heads: Mapping[str, Iterable[int]]) -> dict[str, set[int]]:
    """The heads to take out at every place, checked."""
    gone: dict[str, set[int]] = {}
    for pattern, numbers in heads.items():
        numbers = [int(number) for number in numbers]
        for place in places.chosen([pattern], among=places.layers):
            gone.setdefault(place, set()).update(numbers)
    gone = {place: numbers for place, numbers in gone.items() if numbers}
    for place, numbers in gone.items():
        there = kept(places, place)
        if absent := sorted(numbers - {*there}):
            raise UnknownName(f"{place} has no head {absent[0]}: its heads are {', '.join(map(str, there))}")
        if len(numbers) == len(there):
            raise RegardError(f"{place} has {len(there)} heads, all of which were to go: at least one stays")
        same = places.of(places.layers[place])
        if any(gone.get(other) != numbers for other in same):
            raise RegardError(f"{shortened(same)} are one layer: it loses the same heads in all of these places")
    return gone


def kept(places: Places, place: str) -> tuple[int, ...]:
    """The heads of a layer, by the numbers that they have in the whole model."""
    layer = places.layers[place]
    if not isinstance(layer, MultiHead):
        raise RegardError(
            f"{place} is a {type(layer).__name__}: heads are taken out of layers of regard's own, into which "
            "regard.load turns a checkpoint"
        )
    return layer.split.kept


def head_numbers(layer: nn.Module, count: int) -> tuple[int, ...]:
    """The numbers that the heads of any layer have in the whole model; `count` is how many it has now."""
    return layer.split.kept if isinstance(layer, MultiHead) else tuple(range(count))
