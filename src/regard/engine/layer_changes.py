"""Edits of one attention layer as the engine takes them: numbers for heads, and positions that nobody sees."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.engine.parts import Unsupported

if TYPE_CHECKING:
    from regard.attention.taps import Tap

READING, WRITING, ACROSS = 0, 1, 2  # a layer of the encoder, of the decoder, its attention to the source


@dataclass
class LayerChange:
    """What is changed about one attention layer."""

    kind: int
    layer: int
    gates: np.ndarray
    inverse_temperatures: np.ndarray
    hidden: set[int] = field(default_factory=set)
    taps: "Sequence[Tap]" = ()  # who wants to know how far a text came

    def add(self, record: dict[str, Any]) -> None:
        """One edit more. Raises Unsupported where the engine has no such thing."""
        kind = record["do"]
        if kind == "hide":
            if min(record["positions"], default=0) < 0:
                raise Unsupported("a hidden position is counted from the end")
            self.hidden |= set(record["positions"])
        elif kind in ("scale", "temperature"):
            number = record["factor"] if kind == "scale" else 1 / record["temperature"]
            if not isinstance(number, Real):
                raise Unsupported("a head is scaled by more than a number")
            which, heads = self.gates if kind == "scale" else self.inverse_temperatures, record["heads"]
            heads = range(len(which)) if heads is None else heads
            if not all(-len(which) <= head < len(which) for head in heads):
                raise Unsupported("an edit names a head that is not there")
            once = sorted({head % len(which) for head in heads})  # those that are named from both ends, too
            with np.errstate(all="ignore"):  # several that are too much together are infinite, as they are in PyTorch
                which[once] *= number
        else:
            raise Unsupported(f"the edit {kind!r} is not one that it knows")
