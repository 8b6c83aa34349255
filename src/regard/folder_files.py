"""The files of a model's folder that can be read without torch: which hold weights, what is in them, their sums."""

import hashlib
import json
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from regard.errors import CheckpointError, list_names
from regard.settings import shown
from regard.untrusted import CONFIG, checked_file, first_line, is_name, read_json

WEIGHTS, INDEX, MANIFEST = "model.safetensors", "model.safetensors.index.json", "manifest.json"
LARGEST_HEADER = 64 << 20  # bytes
TYPES: dict[str, str] = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""What weights are stored in, and how numpy reads it; the numbers of bfloat16 are the upper halves of float32's."""


def weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights: one, or the shards that the index names."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        hint = ""
        if (folder / "pytorch_model.bin").is_file():
            hint = "; it holds a pickle, which `regard convert --allow-pickle` turns into safetensors"
        raise CheckpointError(f"{folder}: no {WEIGHTS}{hint}")
    index = read_json(folder / INDEX)
    shards = index.get("weight_map")
    if not isinstance(shards, dict) or not all(isinstance(name, str) for name in shards.values()):
        raise CheckpointError(f"{folder / INDEX}: a weight_map from tensor to file expected")
    names = sorted(set(shards.values()))
    for name in names:
        if not is_name(name):
            raise CheckpointError(f"{folder / INDEX}: {shown(name)} is not the name of a file in this folder")
    return [folder / name for name in names]


def file_states(folder: Path) -> dict[str, list[int]]:
    """The files that say what a model computes, by name, and what the system says of each: size, inode, times. After a
    change it says something else, unless two come within one tick of its clock."""
    index = [folder / INDEX] if (folder / INDEX).is_file() else []
    files = {path.name: checked_file(path).stat() for path in (folder / CONFIG, *weight_files(folder), *index)}
    return {
        name: [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns] for name, status in files.items()
    }


class StoredTensor:
    """A tensor in a file: its shape, what it is stored in, and its numbers where somebody wants them."""

    def __init__(self, path: Path, dtype: str, shape: tuple[int, ...], begin: int, end: int) -> None:
        self.path = path
        self.dtype = dtype
        self.shape = shape
        self.begin = begin
        self.end = end

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def is_floating_point(self) -> bool:
        return self.dtype.startswith(("F", "BF"))

    def content(self) -> bytes:
        with self.path.open("rb") as file:
            file.seek(self.begin)
            return file.read(self.end - self.begin)

    def array(self) -> np.ndarray:
        """The numbers as float32. Raises ValueError where they are of another kind, or not all there."""
        if self.dtype not in TYPES:
            raise ValueError(f"a tensor of {self.dtype}: floating-point numbers expected")
        numbers = np.frombuffer(self.content(), dtype=TYPES[self.dtype]).reshape(self.shape)
        if self.dtype == "BF16":
            return (numbers.astype(np.uint32) << 16).view(np.float32)
        return numbers.astype(np.float32)

    def __eq__(self, other: object) -> object:  # type: ignore[override]  # in an array, as tensors are compared
        return np.array([isinstance(other, StoredTensor) and self.content() == other.content()])

    def __hash__(self) -> int:
        return object.__hash__(self)


def stored_tensors(folder: Path) -> dict[str, StoredTensor]:
    """The tensors of a folder by name, from the headers of its files."""
    tensors: dict[str, StoredTensor] = {}
    for path in weight_files(folder):
        for name, tensor in read_header(path).items():
            if name in tensors:
                raise CheckpointError(f"{path}: tensor {name} was in another shard already")
            tensors[name] = tensor
    return tensors


def read_header(path: Path) -> dict[str, StoredTensor]:
    """The tensors of one file of safetensors, if it is one: the package looks whether all of it is there."""
    checked_file(path)
    try:
        with safe_open(path, framework="np"), path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if size > LARGEST_HEADER:
                raise ValueError("its header is too long")
            header = json.loads(file.read(size))
        return {
            name: StoredTensor(
                path,
                str(entry["dtype"]),
                tuple(map(int, entry["shape"])),
                *(8 + size + int(offset) for offset in entry["data_offsets"]),
            )
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise CheckpointError(f"{path}: no readable safetensors ({first_line(problem)})") from None


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_manifest(folder: Path) -> None:
    """Compare with the sums that were written; folders of others have none."""
    path = folder / MANIFEST
    if not path.exists():
        return
    sums = read_json(path)
    if unlisted := [file.name for file in (folder / CONFIG, *weight_files(folder)) if file.name not in sums]:
        raise CheckpointError(f"{path}: no sum of {list_names(unlisted)}")
    for name, entry in sums.items():
        if not is_name(name) or not isinstance(entry, dict):
            raise CheckpointError(f"{path}: {shown(name)} is not the name of a file in this folder")
        file = folder / name
        if not file.is_file():
            raise CheckpointError(f"{file}: missing, though {MANIFEST} lists it")
        checked_file(file)
        if file.stat().st_size != entry.get("size") or sha256(file) != entry.get("sha256"):
            raise CheckpointError(f"{file}: damaged or changed: it does not have the SHA-256 sum of {MANIFEST}")
