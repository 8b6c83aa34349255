"""Checkpoints of other formats become folders that load without running code."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

from regard.checkpoints.files import (
    CONFIG,
    INDEX,
    MANIFEST,
    WEIGHTS,
    CheckpointError,
    checked_file,
    is_name,
    read_json,
    read_tensors,
    write_with_manifest,
)
from regard.checkpoints.load import load_model
from regard.checkpoints.save import model_files

PICKLE, PICKLE_INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"
COPIED_SUFFIXES = {".json", ".txt", ".model", ".spm", ".md"}
"""Endings of files that go along: tokenisers, settings, the model card. Never code."""


def convert(source: str | Path, target: str | Path, *, allow_pickle: bool = False) -> Path:
    """Write a folder as one of ours: safetensors, every tensor checked against the config, and SHA-256 sums.

    A pickle can run code when it is opened. It is opened only if that is allowed, by a process of its own and with
    torch's `weights_only`, which refuses all but tensors.
    """
    source, target = Path(source), Path(target)
    if not source.is_dir():
        raise CheckpointError(f"{source}: no such folder")
    if target.exists():
        raise CheckpointError(f"{target}: already there; a new folder is written, none is replaced")
    if (source / WEIGHTS).is_file() or (source / INDEX).is_file():
        return rewrite(source, source, target)
    pickles = pickles_of(source)
    if not allow_pickle:
        line = f"{pickles[0]}: a pickle, which can run code when it is opened"
        raise CheckpointError(f"{line}; --allow-pickle (allow_pickle=True) opens it in a process of its own")
    with tempfile.TemporaryDirectory() as beside:
        unpickle_apart(pickles, Path(beside) / WEIGHTS)
        shutil.copyfile(checked_file(source / CONFIG), Path(beside) / CONFIG)
        try:
            return rewrite(Path(beside), source, target)
        except CheckpointError as problem:  # about the folder that was asked for, not the one beside it
            raise CheckpointError(str(problem).replace(beside, str(source))) from None


def rewrite(weights: Path, source: Path, target: Path) -> Path:
    """Load one folder and save it, with the further files of another, which say how a sentence model pools too."""
    loaded = load_model(weights, dtype=stored_dtype(weights))
    skipped = {CONFIG, INDEX, MANIFEST, PICKLE_INDEX}
    files = [path for path in sorted(source.iterdir()) if path.suffix in COPIED_SUFFIXES and path.name not in skipped]
    files = [checked_file(path) for path in files if path.is_file()]
    pooling = [checked_file(path) for path in sorted(source.glob("?_*/config.json"))]
    content = model_files(
        loaded.model, loaded.config, loaded.architecture, str(target), spare=loaded.spare, dtypes=loaded.dtypes
    )

    def fill(beside: Path) -> None:
        content.write(beside, files)
        for path in pooling:
            (beside / path.parent.name).mkdir()
            shutil.copyfile(path, beside / path.parent.name / CONFIG)

    return write_with_manifest(target, fill)


def stored_dtype(folder: Path) -> torch.dtype:
    """The type that all weights are stored in; float32 if they differ."""
    dtypes = {tensor.dtype for tensor in read_tensors(folder).values() if tensor.is_floating_point()}
    return dtypes.pop() if len(dtypes) == 1 else torch.float32


def pickles_of(folder: Path) -> list[Path]:
    """The pickles of a folder: one, or those that an index names."""
    if (folder / PICKLE).is_file():
        return [checked_file(folder / PICKLE)]
    if not (folder / PICKLE_INDEX).is_file():
        raise CheckpointError(f"{folder}: no {WEIGHTS} and no {PICKLE}")
    shards = read_json(folder / PICKLE_INDEX).get("weight_map")
    if not isinstance(shards, dict) or not all(isinstance(name, str) and is_name(name) for name in shards.values()):
        raise CheckpointError(f"{folder / PICKLE_INDEX}: a weight_map from tensor to file of this folder expected")
    return [checked_file(folder / name) for name in sorted(set(shards.values()))]


def unpickle_apart(pickles: list[Path], target: Path) -> None:
    """Have another process turn pickles into safetensors; -P keeps it from importing what lies around."""
    command = [sys.executable, "-P", "-m", "regard.checkpoints.unpickle", str(target), *map(str, pickles)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or not target.is_file():
        reason = (done.stderr.strip().splitlines() or [f"the process ended with {done.returncode}"])[-1]
        raise CheckpointError(f"{pickles[0]}: cannot be read as tensors ({reason[:200]})")
