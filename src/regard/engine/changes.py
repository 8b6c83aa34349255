"""Edits that are at work in a model, as the engine takes them."""

from collections.abc import Iterator

import numpy as np
from torch import nn

from regard.attention.taps import active_taps, edits, looks
from regard.engine.layer_changes import ACROSS, READING, WRITING, LayerChange
from regard.engine.parts import Unsupported
from regard.layers import MultiHead

LOOKING = "somebody looks at every step"


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
        gates = np.ones(len(layer.split.remaining_heads), dtype=np.float32)
        change = LayerChange(kind, number, gates, gates.copy(), taps=taps)
        for edit_records in records:
            if edit_records is None:
                raise Unsupported("an edit cannot be told as data")
            for record in edit_records:
                change.add(record)
        layer_changes.append(change)
    return layer_changes
