"""A model as the engine holds it, made in memory (packer.py) or mapped from a file (packed_file.py)."""

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from regard.engine.library import Library, address
from regard.engine.parts import Unsupported
from regard.engine.positions import EndlessTable

PRECISIONS = {"float32": 0, "float16": 1, "int8": 2}
FIRST_POSITIONS = 512  # positions that are written out at first, where a scheme has no end
ENCODER, DECODER = 0, 1


class LayerShape(NamedTuple):
    """What an attention layer is to the engine (layer_changes.py), its number, heads, those of keys, their width."""

    kind: int
    number: int
    heads: int
    kv_heads: int
    width: int


@dataclass
class PositionTable:
    """A table of positions, and how many of them are written out."""

    table: EndlessTable
    count: int = 0


@dataclass
class PackedShape:
    """What Python has to know of a packed model."""

    precision: str
    has_source: bool
    vocabulary: int = 0
    layers: dict[str, LayerShape] = field(default_factory=dict)
    position_tables: dict[int, PositionTable] = field(default_factory=dict)


class PackedModel:
    """A model's weights in the engine. What it points to is kept alive here."""

    library: Library
    address: int
    shape: PackedShape
    precision: str
    has_source: bool
    vocabulary: int
    layers: dict[str, LayerShape]

    def __init__(self, library: Library, address: int, shape: PackedShape, referenced: Sequence[object]) -> None:
        self.library, self.address, self.shape = library, address, shape
        self.precision, self.has_source, self.vocabulary = shape.precision, shape.has_source, shape.vocabulary
        self.layers = shape.layers
        self._extending = threading.Lock()
        self._referenced = list(referenced)
        weakref.finalize(self, library.model_free, address)

    def ensure_positions(self, side: int, count: int) -> None:
        """Make sure that there are so many positions, whoever else wants some."""
        table = self.shape.position_tables.get(side)
        if table is not None and table.count < count:
            with self._extending:
                if table.count < count:
                    longer = max(FIRST_POSITIONS, 2 * table.count, count)
                    rows = table.table.rows(longer)
                    self._referenced.append(rows)
                    put_table(self.library, self.address, side, table.table.kind, rows)
                    table.count = longer


def put_table(library: Library, model: int, side: int, kind: int, table: np.ndarray) -> None:
    """Rows for the engine, which stay where they are."""
    if not len(table):
        raise Unsupported("a table has no rows")
    place = address("a table", table, np.float32)
    library.check(library.table(model, side, kind, place, *table.shape))
