"""What can be done to the pattern of a layer. A new kind of edit is a function and a line in EDIT_KINDS."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.looking.edit_fields import (
    EditField,
    Record,
    factor,
    indices,
    layer_name,
    pair_weight,
    temperature,
    text_positions,
    weights,
    whole_numbers,
)
from regard.looking.layer_names import attends_to_source
from regard.looking.pair_edits import cut_pairs, set_pairs
from regard.looking.reach import keys_so_far
from regard.looking.set_weights import set_weights


def hide(pattern: Pattern, record: Record, layer: str) -> Pattern:
    positions = record["positions"]
    if not attends_to_source(layer):  # a text that is being written may not have come so far
        count = keys_so_far(pattern)
        positions = [position for position in positions if -count <= position < count]
    return pattern.hide(positions)


def scale(pattern: Pattern, record: Record, layer: str) -> Pattern:
    return pattern.scale(as_tensor(record["factor"], pattern), record["heads"])


def set_temperature(pattern: Pattern, record: Record, layer: str) -> Pattern:
    return pattern.with_temperature(record["temperature"], record["heads"])


def set_rows(pattern: Pattern, record: Record, layer: str) -> Pattern:
    return set_weights(pattern, layer, as_tensor(record["weights"], pattern), record["heads"], record["rows"])


def as_tensor(values: object, pattern: Pattern) -> Tensor:
    """Numbers as a tensor, exact for this pattern; one that is a tensor already may want a gradient."""
    exact = torch.promote_types(pattern.query.dtype, torch.float32)
    return values if isinstance(values, Tensor) else torch.as_tensor(values, dtype=exact)


@dataclass(frozen=True)
class EditKind:
    """A kind of edit: what it does to the pattern of a layer, and its fields beside "do"."""

    apply: Callable[[Pattern, Record, str], Pattern]
    fields: dict[str, EditField]

    @property
    def required(self) -> list[str]:
        return sorted(name for name, field in self.fields.items() if not field.is_optional)


LAYER = EditField(layer_name, is_optional=True)  # all layers
INDICES = EditField(indices)
PAIRS = {
    "layer": LAYER,
    **{name: EditField(indices, is_optional=True) for name in ("heads", "batch")},
    **{name: EditField(text_positions, is_optional=True) for name in ("queries", "keys")},
}

EDIT_KINDS: dict[str, EditKind] = {
    "hide": EditKind(hide, {"layer": LAYER, "positions": EditField(whole_numbers)}),
    "scale": EditKind(scale, {"layer": LAYER, "heads": INDICES, "factor": EditField(factor)}),
    "temperature": EditKind(set_temperature, {"layer": LAYER, "heads": INDICES, "temperature": EditField(temperature)}),
    "cut": EditKind(cut_pairs, PAIRS),
    "set_pairs": EditKind(set_pairs, {**PAIRS, "weight": EditField(pair_weight)}),
    "set": EditKind(set_rows, {"layer": LAYER, "heads": INDICES, "rows": INDICES, "weights": EditField(weights)}),
}
"""What can be done to the pattern of a layer, and what is said for it."""
