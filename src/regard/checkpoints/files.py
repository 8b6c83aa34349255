"""The files of a checkpoint folder, read with distrust: no code runs, nothing outside the folder is touched."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from regard.errors import CheckpointError, list_names
from regard.files import write_folder
from regard.settings import shown
from regard.untrusted import CONFIG, checked_file, first_line, is_name, read_json

WEIGHTS, INDEX, MANIFEST = "model.safetensors", "model.safetensors.index.json", "manifest.json"


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


def read_tensors(folder: Path) -> dict[str, Tensor]:
    """All weights by name, memory-mapped."""
    tensors: dict[str, Tensor] = {}
    for path in weight_files(folder):
        checked_file(path)
        try:
            with safe_open(path, framework="pt") as file:
                for name in file.keys():  # noqa: SIM118 - not a mapping
                    if name in tensors:
                        raise CheckpointError(f"{path}: tensor {name} was in another shard already")
                    tensors[name] = file.get_tensor(name)
        except (SafetensorError, OSError, ValueError, RuntimeError, OverflowError) as problem:
            raise CheckpointError(f"{path}: no readable safetensors ({first_line(problem)})") from None
    if (folder / INDEX).is_file() and not (folder / WEIGHTS).is_file():
        promised = set(read_json(folder / INDEX)["weight_map"])
        if missing := promised - tensors.keys():
            raise CheckpointError(f"{folder / INDEX}: the shards lack {list_names(missing)}")
    return tensors


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path) -> None:
    """Sizes and sums of all files, so that one flipped bit is found."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != MANIFEST)
    sums = {path.name: {"size": path.stat().st_size, "sha256": sha256(path)} for path in files}
    (folder / MANIFEST).write_text(json.dumps(sums, indent=1) + "\n", encoding="utf-8")


def write_with_manifest(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Fill a folder, add a manifest, and put it where it belongs."""

    def fill_with_manifest(beside: Path) -> None:
        fill(beside)
        write_manifest(beside)

    return write_folder(folder, fill_with_manifest)


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
