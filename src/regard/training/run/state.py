"""What a run has to remember: weights, optimiser, and a step number. Written whole or not at all, in this order:
files, sums, sync, rename, sync."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.checkpoints import CheckpointError
from regard.checkpoints.files import MANIFEST, check_manifest, first_line, read_json, write_manifest
from regard.errors import RegardError
from regard.families.old_names import current_tensors
from regard.training.run.lock import lock

STATE, OPTIMISER, OLD = "state.json", "optimiser.safetensors", "old"
VERSION = 2
"""Of state.json. Version 1 did not say so, and had the names of OLD_FIELDS."""
OLD_FIELDS = {
    "evaluated": "evaluated_step",
    "waited": "evaluations_since_best",
    "streak": "skipped_in_a_row",
    "log": "log_length",
    "plain": "cross_entropy",
    "world": "processes",
}


class SaveError(RegardError):
    """A checkpoint that could not be written; those before it are whole."""


@dataclass(frozen=True)
class TrainingProgress:
    """How far a run is. `evaluated_step` is the last step that was evaluated; `log_length` is how many bytes of the log
    belong to all this. `loss` (label smoothing included), `cross_entropy` and `count` are sums since the last line of
    the log."""

    step: int = 0
    evaluated_step: int = -1
    best: float | None = None
    best_step: int = -1
    evaluations_since_best: int = 0
    skipped_in_a_row: int = 0
    log_length: int = 0
    loss: float = 0.0
    cross_entropy: float = 0.0
    count: int = 0
    processes: int = 1


class CheckpointStore:
    """The checkpoints of a run: folders in the Hugging Face layout that hold the state of the training, too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, step: int) -> Path:
        return self.folder / f"step-{step:08d}"

    def steps(self) -> list[int]:
        """The steps that there are folders of, whole or not, in order."""
        folders = self.folder.glob("step-*") if self.folder.is_dir() else ()
        return sorted(int(path.name[5:]) for path in folders if path.name[5:].isdigit())

    def save(
        self, progress: TrainingProgress, optimiser_state: dict[str, Tensor], write: Callable[[Path], None]
    ) -> Path:
        """Write a checkpoint. `write` puts the model into a folder."""

        def fill(beside: Path) -> None:
            write(beside)
            save_file({key: value.contiguous() for key, value in optimiser_state.items()}, beside / OPTIMISER)
            values = {"version": VERSION, **asdict(progress)}
            (beside / STATE).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")

        return write_with_manifest(self.path(progress.step), fill)

    def latest(
        self, say: Callable[[str], None] = lambda line: None, log: Path | None = None
    ) -> tuple[Path, TrainingProgress] | None:
        """The newest checkpoint that is whole, its part of the log too; of those that are not, a line each."""
        length = log.stat().st_size if log is not None and log.is_file() else 0
        for step in reversed(self.steps()):
            try:
                progress = read_progress(self.path(step))
                if log is not None and progress.log_length > length:
                    raise CheckpointError(f"{log}: {progress.log_length - length} bytes short of {self.path(step)}")
                return self.path(step), progress
            except CheckpointError as problem:
                say(f"{problem}; looking for the checkpoint before it")
        return None

    def keep_only(self, needed: Collection[int]) -> None:
        """Remove all checkpoints but these."""
        for step in self.steps():
            if step not in needed:
                discard(self.path(step))

    def sweep(self) -> None:
        """Remove what an interrupted save or removal left behind."""
        sweep(self.folder, "step-*")


def read_progress(folder: Path) -> TrainingProgress:
    """How far a checkpoint is, once all its files have the sums of the manifest."""
    if not (folder / MANIFEST).is_file():
        raise CheckpointError(f"{folder}: not whole: no {MANIFEST}")
    check_manifest(folder)
    if lacking := {STATE, OPTIMISER} - read_json(folder / MANIFEST).keys():
        raise CheckpointError(f"{folder}: not whole: no {', '.join(sorted(lacking))}")
    values = read_json(folder / STATE)
    version = values.pop("version", 1)
    if version not in range(1, VERSION + 1):
        raise CheckpointError(
            f"{folder / STATE}: version {version!r}, up to {VERSION} is known: a newer regard reads it"
        )
    if version == 1:
        values = {OLD_FIELDS.get(name, name): value for name, value in values.items()}
    try:
        return TrainingProgress(**values)
    except TypeError as problem:
        raise CheckpointError(f"{folder / STATE}: no state of a training ({first_line(problem)})") from None


def read_optimiser_state(folder: Path) -> dict[str, Tensor]:
    """What the optimiser remembered."""
    try:
        return current_tensors(load_file(folder / OPTIMISER))
    except (SafetensorError, OSError) as problem:
        raise CheckpointError(f"{folder / OPTIMISER}: no readable safetensors ({first_line(problem)})") from None


def write_with_manifest(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Fill a folder, with a manifest, and put it where it belongs."""

    def fill_with_manifest(beside: Path) -> None:
        fill(beside)
        write_manifest(beside)

    return write_folder(folder, fill_with_manifest)


def write_folder(folder: Path, fill: Callable[[Path], object]) -> Path:
    """Fill a new folder beside this one; then rename it."""
    with save_errors(folder):
        make_folder(folder.parent)
        around = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        beside = around / "new"
        try:
            beside.mkdir()
            fill(beside)
            for path in sorted(beside.iterdir()):
                path.chmod(0o644)  # what is to be shared is not for one person's eyes
                sync_path(path)
            sync_path(beside)
            if folder.exists():
                os.rename(folder, around / OLD)  # should it end here, restore_or_remove() brings it back
            os.rename(beside, folder)
            sync_path(folder.parent)
        finally:
            restore_or_remove(around, folder)
    return folder


def restore_or_remove(around: Path, folder: Path) -> None:
    """Remove what was written beside a folder; the old folder goes back if no new one has replaced it."""
    if (around / OLD).is_dir() and not folder.exists():
        os.rename(around / OLD, folder)
        sync_path(folder.parent)
    shutil.rmtree(around, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write a new file beside this one; then rename it."""
    beside = path.with_name(f".{path.name}.new")
    with save_errors(path):
        beside.write_text(text, encoding="utf-8")
        sync_path(beside)
        os.replace(beside, path)
        sync_path(path.parent)


@contextmanager
def save_errors(path: Path) -> Iterator[None]:
    """What the disk refuses is one line that names the file or folder."""
    try:
        yield
    except (OSError, SafetensorError) as problem:
        reason = (problem.strerror if isinstance(problem, OSError) else None) or first_line(problem)
        raise SaveError(f"{path}: cannot be written ({reason}); what was saved before is whole") from None


def make_folder(folder: Path) -> None:
    """A folder and those above it, their names on the disk."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_path(folder.parent)


def sync_path(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    is_windows = sys.platform == "win32"  # which opens no folders, and syncs only what it may write
    if is_windows and path.is_dir():
        return
    number = os.open(path, os.O_RDWR if is_windows else os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def discard(folder: Path) -> None:
    """Remove a folder; half of it never looks like the whole, because it is renamed first."""
    away = folder.with_name(f".{folder.name}.away")
    shutil.rmtree(away, ignore_errors=True)
    with save_errors(folder):
        os.rename(folder, away)
    shutil.rmtree(away, ignore_errors=True)


def sweep(folder: Path, name: str) -> None:
    """Clear what an interruption left of folders of this name."""
    for path in sorted(folder.glob(f".{name}.*")) if folder.is_dir() else ():
        with save_errors(folder):
            restore_or_remove(path, folder / path.name.split(".")[1])


@contextmanager
def lock_run(run: Path) -> Iterator[None]:
    """Nobody else trains in this folder meanwhile; the lock goes with the process, however it ends."""
    with save_errors(run):
        make_folder(run)
        file = (run / ".lock").open("w")
    with file:
        try:
            lock(file)
        except OSError:
            raise SaveError(f"{run}: another training is at work in this folder") from None
        yield
