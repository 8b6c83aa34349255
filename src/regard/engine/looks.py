"""What a text looked at: the weights of some heads, and what they are made of, of layers that the engine watches."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from regard.engine.layer_changes import READING, WRITING
from regard.engine.library import LookSpec, address
from regard.engine.packed_model import LayerShape
from regard.engine.state import EngineState
from regard.errors import ArgumentError, lookup


@dataclass(frozen=True, eq=False)
class EngineLooks:
    """What a `Pattern` of the same layer and text has: its queries, its keys, and the log-sum-exp of every row.

    Where there is no token queries and keys are 0, and so is the sum: its logarithm is minus infinity.
    """

    query: np.ndarray
    key: np.ndarray
    logsumexp: np.ndarray


def weights(state: EngineState, layer: str, heads: Sequence[int] | None = None, *, first: int = 0) -> np.ndarray:
    """How much each query, from the column `first` on, looked at each key: (rows, heads, queries, keys).

    Columns are those that were read, padding included, which has zeros; what is written stands at the right, as in the
    state. `first=state.length - 1` is the last step. Weights are those before a head is scaled.
    """
    shape = lookup(state.packed.layers, layer, "layer")
    numbers = range(shape.heads) if heads is None else heads
    for head in numbers:
        if isinstance(head, bool) or not isinstance(head, int) or not 0 <= head < shape.heads:
            raise ArgumentError(f"{layer} has {shape.heads} heads, counted from 0; there is no head {head!r}")
    spec = look_spec(state, shape._replace(heads=len(numbers)), first)
    chosen = np.array(list(numbers), np.int32)
    table = np.empty((spec.rows, spec.heads, spec.queries, spec.keys), np.float32)
    done = state.library.weights(
        state.address,
        ctypes.byref(spec),
        address("heads", chosen, np.int32),
        address("weights", table, np.float32),
        state.threads,
    )
    state.library.check(done)
    return table


def looks(state: EngineState, layer: str) -> EngineLooks:
    """Queries, keys and log-sum-exp of all that was read or written, in columns as in `weights`."""
    shape = lookup(state.packed.layers, layer, "layer")
    spec = look_spec(state, shape, 0)
    made = EngineLooks(
        np.empty((spec.rows, shape.heads, spec.queries, shape.width), np.float32),
        np.empty((spec.rows, shape.kv_heads, spec.keys, shape.width), np.float32),
        np.empty((spec.rows, shape.heads, spec.queries), np.float32),
    )
    done = state.library.looks(
        state.address,
        ctypes.byref(spec),
        address("query", made.query, np.float32),
        address("key", made.key, np.float32),
        address("logsumexp", made.logsumexp, np.float32),
        state.threads,
    )
    state.library.check(done)
    return made


def look_spec(state: EngineState, layer: LayerShape, first: int) -> LookSpec:
    """What is asked for, and how large it is; all of it is checked once more where it is read."""
    queries = state.source_length if layer.kind == READING else state.length
    keys = state.length if layer.kind == WRITING else state.source_length
    if isinstance(first, bool) or not isinstance(first, int) or not 0 <= first <= queries:
        raise ArgumentError(f"first is a column from 0 to {queries}, got {first!r}")
    return LookSpec(
        kind=layer.kind,
        layer=layer.number,
        rows=state.rows,
        heads=layer.heads,
        kv_heads=layer.kv_heads,
        width=layer.width,
        first=first,
        queries=queries - first,
        keys=keys,
    )
