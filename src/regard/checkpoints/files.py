"""The files of a checkpoint folder, read with distrust: no code runs, nothing outside the folder is touched."""

import json
from collections.abc import Callable
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor

from regard.errors import CheckpointError, list_names
from regard.files import write_folder
from regard.folder_files import INDEX, MANIFEST, WEIGHTS, check_manifest, sha256, weight_files
from regard.untrusted import CONFIG, checked_file, first_line, is_name, read_json

__all__ = [
    "CONFIG", "INDEX", "MANIFEST", "WEIGHTS", "CheckpointError", "check_manifest", "checked_file", "first_line",
    "is_name", "list_names", "read_json", "read_tensors", "sha256", "weight_files", "write_manifest",
    "write_with_manifest",
]  # fmt: skip


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
