"""The looks of texts at their sources, as a state of the engine tells them: one pass over all of them, no torch."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from regard.engine.folder_model import FolderModel
from regard.engine.looks import weights
from regard.engine.state import EngineState
from regard.tasks.inputs import Reading
from regard.text.align.heads import AlignmentHeads
from regard.text.batching import BATCH_TOKENS, array_rows

Start = Callable[[np.ndarray | None, np.ndarray | None], EngineState]
"""Begins a text, given its source and which of that are tokens, with the layers watched that are asked for."""


def read_weights(
    start: Start, readings: Sequence[Reading], layers: Sequence[str], *, has_source: bool
) -> list[dict[str, np.ndarray]]:
    """How much each target token looked at each source token, (heads, target, source) for every layer of each reading.

    A model that reads source and target in one stream also looks at what was written: what is left is not yet shared
    out anew.
    """
    targets = [reading.target if has_source else (*reading.source, *reading.target) for reading in readings]
    state = start(*(array_rows([reading.source for reading in readings]) if has_source else (None, None)))
    state.step(*array_rows(targets))
    first = state.length - max(len(reading.target) for reading in readings)
    rows: list[dict[str, np.ndarray]] = [{} for _ in readings]
    for layer in layers:
        table = weights(state, layer, first=first)
        for row, reading, target, looks in zip(rows, readings, targets, table, strict=True):
            begin = 0 if has_source else state.length - len(target)  # every text ends at the right
            row[layer] = looks[:, -len(reading.target) :, begin : begin + len(reading.source)].copy()
    return rows


def share_out(weights_of_layers: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Looks at a source that sum to 1: in one stream a token also looks at what was written before it."""
    return {
        layer: table / np.maximum(table.sum(-1, keepdims=True), np.finfo(table.dtype).tiny)
        for layer, table in weights_of_layers.items()
    }


def folder_alignment_weights(
    model: FolderModel, readings: Sequence[Reading], heads: AlignmentHeads
) -> list[np.ndarray]:
    """The looks that are read as an alignment, (target, source) for every reading."""
    layers = heads.layers
    rows = [
        row
        for group in group_readings(readings)
        for row in read_weights(
            lambda source, mask: model.start_watched(layers, source, mask), group, layers, has_source=model.has_source
        )
    ]
    return [heads.of(row if model.has_source else share_out(row)) for row in rows]


def group_readings(readings: Sequence[Reading]) -> Iterator[Sequence[Reading]]:
    """As many in a row as there is room for in a batch."""
    first = 0
    while first < len(readings):
        last, max_length = first, 1
        while last < len(readings):
            max_length = max(max_length, len(readings[last].source), len(readings[last].target))
            if last > first and max_length * (last + 1 - first) > BATCH_TOKENS:
                break
            last += 1
        yield readings[first:last]
        first = last
