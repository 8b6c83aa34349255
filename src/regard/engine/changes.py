"""Edits as the engine takes them: numbers for heads, and positions that nobody sees."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention.taps import Taps, active_taps, edits, looks
from regard.engine.parts import Unsupported
from regard.layers import MultiHead

LOOKING = "somebody looks at every step"
READING, WRITING, ACROSS = 0, 1, 2  # a layer of the encoder, of the decoder, its attention to the source


@dataclass
class LayerChange:
    """What is changed about one attention layer."""

    kind: int
    layer: int
    gates: Tensor
    inverse_temperatures: Tensor
    hidden: set[int] = field(default_factory=set)
    taps: Taps = ()  # who wants to know how far a text came

    def add(self, record: dict[str, Any]) -> None:
        """One edit more. Raises Unsupported where the engine has no such thing."""
        kind = record["do"]
        if kind == "hide":
            if min(record["positions"], default=0) < 0:
                raise Unsupported("a hidden position is counted from the end")
            self.hidden |= set(record["positions"])
        elif kind in ("scale", "temperature"):
            number = record["factor"] if kind == "scale" else 1 / record["temperature"]
            if isinstance(number, Tensor | list):
                raise Unsupported("a head is scaled by more than a number")
            which, heads = self.gates if kind == "scale" else self.inverse_temperatures, record["heads"]
            heads = range(len(which)) if heads is None else heads
            if not all(-len(which) <= head < len(which) for head in heads):
                raise Unsupported("an edit names a head that is not there")
            for head in {head % len(which) for head in heads}:  # one that is named from both ends is meant once
                which[head] *= number
        else:
            raise Unsupported(f"the edit {kind!r} is not one that it knows")


def layers(model: nn.Module) -> Iterator[tuple[int, int, MultiHead]]:
    """Every attention layer, and what it is to the engine."""
    for side, kind in (("encoder", READING), ("decoder", WRITING)):
        for number, block in enumerate(getattr(model, side).stack.blocks if hasattr(model, side) else ()):
            if block.taps and any(looks(tap) for tap in active_taps(block.taps)):
                raise Unsupported(LOOKING)
            if block.taps and any(edits(tap) for tap in active_taps(block.taps)):
                raise Unsupported("what passes inside of a block is edited")
            yield kind, number, block.self
            if block.cross is not None:
                yield ACROSS, number, block.cross


def current_changes(model: nn.Module) -> list[LayerChange]:
    """What is edited here and now. Raises Unsupported if it cannot be told, or if somebody looks at every step."""
    layer_changes = []
    for kind, number, layer in layers(model):
        taps = active_taps(layer.taps) if layer.taps else ()
        if any(looks(tap) for tap in taps):
            raise Unsupported(LOOKING)
        records = [tap.records() for tap in taps if edits(tap)]
        if not any(record is None or record for record in records):
            continue
        gates = torch.ones(len(layer.split.remaining_heads), dtype=torch.float32, device="cpu")
        change = LayerChange(kind, number, gates, gates.clone(), taps=taps)
        for edit_records in records:
            if edit_records is None:
                raise Unsupported("an edit cannot be told as data")
            for record in edit_records:
                change.add(record)
        layer_changes.append(change)
    return layer_changes
