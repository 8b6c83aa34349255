"""Packed models in the user's cache: opened in place of being packed again, and made anew where anything has changed.

A file is taken where it was made of these weights, by this code, for this library. Whether the weights are the same is
told by what the system says of their files (size, inode, times), and by their sums where that differs. Where nothing
can be written a model is packed in memory, and so is one that would take more than half of the room.
"""

import hashlib
import json
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from regard import __version__
from regard.engine import build
from regard.engine.folder_parts import folder_parts
from regard.engine.folder_weights import FolderWeights
from regard.engine.library import Library
from regard.engine.packed_file import PackedFile, PackedFileError, image_bytes, packed_file
from regard.engine.packed_model import PackedModel
from regard.engine.packer import pack_parts
from regard.engine.parts import Unsupported
from regard.errors import RegardError
from regard.files import sweep, write_file
from regard.folder_files import file_states, sha256
from regard.freed_memory import release_memory

SUFFIX = ".packed"
MOST_FILES, MOST_BYTES = 32, 1 << 30
"""Of all that is kept; one model may take half of it."""
SETTLED = 2.0  # seconds: longer than a tick of any file system's clock
HERE = Path(__file__).resolve().parent
CODE = (HERE, HERE.parent / "families", HERE.parent / "config", HERE.parent)
"""What decides how weights become a packed model."""
Ingredients = dict[str, Any]
"""As JSON has them."""


def packed_folder() -> Path:
    """Where packed models are kept. Raises RuntimeError where there is no home."""
    return build.folder().with_name("packed")


def kept_model(library: Library, weights: FolderWeights, precision: str) -> PackedModel:
    """The model of a folder as it was opened, mapped from the cache; where it cannot be there, in memory. Raises
    Unsupported or EngineError where the engine cannot run it, or the files are others by now."""
    path = packed_path(library, weights.folder, precision)
    if path is not None:
        with suppress(PackedFileError, OSError, RegardError):
            file = PackedFile.read(path)
            if is_made_of(file.header.get("made_of"), library, weights, precision):
                packed = file.open(library)
                note_use(path)
                return packed
    weights.check_files()
    packed = pack_parts(library, folder_parts(weights.config, weights.rows, weights.tensors), precision)
    weights.check_unchanged()
    if path is not None and is_settled(weights) and image_bytes(packed) <= MOST_BYTES // 2:
        with suppress(PackedFileError, OSError, RegardError, Unsupported):
            made_of = ingredients(library, weights, precision)
            weights.check_unchanged()  # or the sums were of other files
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            keep(path, packed_file(packed, made_of))
            file = PackedFile.read(path)
            if file.header.get("made_of") == made_of:  # or another process was here
                packed = file.open(library)
                release_memory()  # of what was packed, which is more than the model
    return packed


def packed_path(library: Library, folder: Path, precision: str) -> Path | None:
    """One file for each folder, precision and library; None where there is no home."""
    try:
        name = json.dumps([str(folder.resolve()), precision, library_sum(library.path)])
        return packed_folder() / (hashlib.sha256(name.encode()).hexdigest()[:32] + SUFFIX)
    except (OSError, RuntimeError):
        return None


@cache
def library_sum(path: Path) -> str:
    return sha256(path)


def ingredients(library: Library, weights: FolderWeights, precision: str) -> Ingredients:
    """What a packed model is made of: files by their states and sums, and what makes it."""
    files = {name: {"state": state, "sha256": sha256(weights.folder / name)} for name, state in weights.states.items()}
    return {**makers(library, precision), "files": files}


def makers(library: Library, precision: str) -> Ingredients:
    """What makes a packed model of weights."""
    files = (file for folder in CODE for file in os.scandir(folder) if file.name.endswith(".py"))
    code = sorted((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)
    return {
        "regard": __version__,
        "code": hashlib.sha256(json.dumps(code).encode()).hexdigest(),
        "numpy": np.__version__,
        "library": library_sum(library.path),
        "precision": precision,
    }


def is_made_of(made_of: object, library: Library, weights: FolderWeights, precision: str) -> bool:
    """Whether a file was made by this code of these weights. Of one whose state is another, the sum is compared."""
    if not isinstance(made_of, dict) or not isinstance(made_of.get("files"), dict):
        return False
    files = made_of["files"]
    if {**makers(library, precision), "files": files} != made_of or files.keys() != weights.states.keys():
        return False
    others = [name for name, state in weights.states.items() if state != files[name].get("state")]
    return not others or (
        all(sha256(weights.folder / name) == files[name].get("sha256") for name in others)
        and weights.states == file_states(weights.folder)  # the sums are of the files that were opened
    )


def is_settled(weights: FolderWeights) -> bool:
    """Whether no file of a model was changed since it was opened, nor shortly before: its state then tells it from any
    later one."""
    times = [time_ns for _, _, *times in weights.states.values() for time_ns in times]
    return max(times) < weights.opened_ns - SETTLED * 1e9


def note_use(path: Path) -> None:
    """Have the time of a file say when it was last used, to a day."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > build.DAY:
            os.utime(path)


def keep(path: Path, content: np.ndarray) -> None:
    """Write a file, and remove those that were not used for longest where there are too many."""
    sweep(path.parent, "*", seconds=build.DAY)
    write_file(path, content.data, is_lasting=False)  # its fingerprint tells whether it is whole
    files = [(file.stat().st_mtime, file) for file in path.parent.glob(f"*{SUFFIX}") if file != path]
    total, count = len(content), 1
    for _, file in sorted(files, reverse=True):
        total, count = total + file.stat().st_size, count + 1
        if count > MOST_FILES or total > MOST_BYTES:
            with suppress(OSError):  # in use, on Windows
                file.unlink()
