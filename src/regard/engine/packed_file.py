"""A packed model in a file: what it is as JSON, then its weights as the engine reads them, mapped and not copied.

| bytes | what |
|---|---|
| 16 | `regard-packed 1` and a line end |
| 3 x 8 | how long the JSON is, how long the weights are, and the fingerprint of all that follows; little-endian |
| to 64 | zeros |
| | the JSON, filled up with blanks to a multiple of 64 |
| | the weights, each tensor from a multiple of 64 on (source/image.cpp) |
"""

import ctypes
import json
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from regard.engine.library import EngineError, Library, address
from regard.engine.packed_model import LayerShape, PackedModel, PackedShape, PositionTable
from regard.engine.positions import read_table, table_entries
from regard.engine.threads import thread_count
from regard.errors import RegardError

MAGIC = b"regard-packed 1\n"
BEGINNING = struct.Struct("<16sQQQ")
ALIGNMENT = 64

Header = dict[str, Any]
"""As JSON has it."""


class PackedFileError(Exception):
    """Why a file is no packed model, or not the one that was expected."""


def image_bytes(packed: PackedModel) -> int:
    """How long the weights of a model are in a file."""
    if size := packed.library.image(packed.address, None):
        return size
    raise EngineError(packed.library.problem().decode(errors="replace"))


def packed_file(packed: PackedModel, made_of: Header) -> np.ndarray:
    """The bytes of a file that holds this model; `made_of` says what it was made of."""
    header = json.dumps({**shape_entries(packed.shape), "made_of": made_of}).encode()
    header += b" " * (-len(header) % ALIGNMENT)
    size, begin = image_bytes(packed), ALIGNMENT + len(header)
    content = np.zeros(begin + size, np.uint8)
    content[ALIGNMENT:begin] = np.frombuffer(header, np.uint8)
    packed.library.image(packed.address, address("an image", content[begin:], np.uint8))
    sums = BEGINNING.pack(MAGIC, len(header), size, fingerprint(packed.library, content[ALIGNMENT:]))
    content[: len(sums)] = np.frombuffer(sums, np.uint8)
    return content


@dataclass(frozen=True, eq=False)
class PackedFile:
    """A file that is mapped, its header read; its weights are not looked at yet."""

    path: Path
    header: Header
    mapping: mmap.mmap
    content: np.ndarray
    begin: int  # of the weights
    expected: int  # the fingerprint of all that follows the beginning

    @classmethod
    def read(cls, path: Path) -> "PackedFile":
        """Raises PackedFileError where it is no packed model, or not all of one."""
        try:
            with path.open("rb") as file:
                mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            content = np.frombuffer(mapping, np.uint8)
            magic, size, weights, expected = BEGINNING.unpack(content[: BEGINNING.size].tobytes())
            begin = ALIGNMENT + size
            if magic != MAGIC or begin + weights != len(content):
                raise PackedFileError(f"{path}: not whole, or no packed model of this version")
            header = json.loads(content[ALIGNMENT:begin].tobytes())
        except (OSError, ValueError, RecursionError, struct.error) as problem:
            raise PackedFileError(f"{path}: {problem}") from None
        if not isinstance(header, dict):
            raise PackedFileError(f"{path}: an object expected")
        return cls(path, header, mapping, content, begin, expected)

    def open(self, library: Library) -> PackedModel:
        """The model, whose pages all processes share that open it. Raises PackedFileError where it is damaged."""
        if fingerprint(library, self.content[ALIGNMENT:]) != self.expected:
            raise PackedFileError(f"{self.path}: damaged")
        if hasattr(mmap, "MADV_DONTNEED"):
            self.mapping.madvise(mmap.MADV_DONTNEED)  # what was looked at once need not stay: many words never come
        image = self.content[self.begin :]
        try:
            shape = read_shape(self.header)
            model = library.check_new(library.open(address("an image", image, np.uint8), len(image)))
        except (ValueError, TypeError, LookupError, AttributeError, RegardError) as problem:
            raise PackedFileError(f"{self.path}: {problem}") from None
        return PackedModel(library, model, shape, [self.content])


def fingerprint(library: Library, content: np.ndarray) -> int:
    value = ctypes.c_uint64()
    data = (ctypes.c_void_p * 1)(address("a file", content, np.uint8))
    sizes = (ctypes.c_size_t * 1)(content.size)
    library.check(library.fingerprint(data, sizes, 1, 0, thread_count(), ctypes.byref(value)))
    return value.value


def shape_entries(shape: PackedShape) -> Header:
    """A shape as JSON has it."""
    return {
        "precision": shape.precision,
        "has_source": shape.has_source,
        "vocabulary": shape.vocabulary,
        "layers": {name: layer._asdict() for name, layer in shape.layers.items()},
        "position_tables": {
            str(side): {"count": table.count, "table": table_entries(table.table)}
            for side, table in shape.position_tables.items()
        },
    }


def read_shape(header: Header) -> PackedShape:
    return PackedShape(
        header["precision"],
        header["has_source"],
        header["vocabulary"],
        {name: LayerShape(**layer) for name, layer in header["layers"].items()},
        {
            int(side): PositionTable(read_table(entry["table"]), entry["count"])
            for side, entry in header["position_tables"].items()
        },
    )
