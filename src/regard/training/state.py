"""What a run has to remember: weights, optimiser, and a step number. Written whole or not at all, in this order:
files, sums, sync, rename, sync."""

import fcntl
import json
import os
import shutil
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

STATE, OPTIMISER = "state.json", "optimiser.safetensors"


class SaveError(RegardError):
    """A checkpoint that could not be written; those before it are whole."""


@dataclass(frozen=True)
class Progress:
    """How far a run is. `streak` counts steps in a row that were skipped, `waited` evaluations without a better score;
    `evaluated` is the last step that was; `log` is how many bytes of the log belong to all this. `loss`, `plain` and
    `count` are sums since the last line of the log."""

    step: int = 0
    evaluated: int = -1
    best: float | None = None
    best_step: int = -1
    waited: int = 0
    streak: int = 0
    log: int = 0
    loss: float = 0.0
    plain: float = 0.0
    count: int = 0
    world: int = 1


class Checkpoints:
    """The checkpoints of a run: folders in the Hugging Face layout that hold the state of the training, too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, step: int) -> Path:
        return self.folder / f"step-{step:08d}"

    def steps(self) -> list[int]:
        """The steps that there are folders of, whole or not, in order."""
        found = self.folder.glob("step-*") if self.folder.is_dir() else ()
        return sorted(int(path.name[5:]) for path in found if path.name[5:].isdigit())

    def save(self, progress: Progress, memory: dict[str, Tensor], write: Callable[[Path], None]) -> Path:
        """Write a checkpoint. `write` puts the model into a folder, `memory` is the optimiser's."""

        def fill(beside: Path) -> None:
            write(beside)
            save_file({key: value.contiguous() for key, value in memory.items()}, beside / OPTIMISER)
            (beside / STATE).write_text(json.dumps(asdict(progress), indent=1) + "\n", encoding="utf-8")

        return written_whole(self.path(progress.step), fill)

    def latest(self, say: Callable[[str], None] = lambda line: None) -> tuple[Path, Progress] | None:
        """The newest checkpoint that is whole; of those that are not, a line each."""
        for step in reversed(self.steps()):
            try:
                return self.path(step), read_progress(self.path(step))
            except CheckpointError as problem:
                say(f"{problem}; looking for the checkpoint before it")
        return None

    def tidy(self, kept: Collection[int]) -> None:
        """Remove all checkpoints but these."""
        for step in self.steps():
            if step not in kept:
                discard(self.path(step))

    def sweep(self) -> None:
        """Remove what an interrupted save or removal left behind."""
        for path in self.folder.glob(".*") if self.folder.is_dir() else ():
            shutil.rmtree(path, ignore_errors=True)


def read_progress(folder: Path) -> Progress:
    """How far a checkpoint is, once all its files have the sums of the manifest."""
    if not (folder / MANIFEST).is_file():
        raise CheckpointError(f"{folder}: not whole: no {MANIFEST}")
    check_manifest(folder)
    if lacking := {STATE, OPTIMISER} - read_json(folder / MANIFEST).keys():
        raise CheckpointError(f"{folder}: not whole: no {', '.join(sorted(lacking))}")
    try:
        return Progress(**read_json(folder / STATE))
    except TypeError as problem:
        raise CheckpointError(f"{folder / STATE}: no state of a training ({first_line(problem)})") from None


def read_memory(folder: Path) -> dict[str, Tensor]:
    """What the optimiser remembered."""
    try:
        return load_file(folder / OPTIMISER)
    except (SafetensorError, OSError) as problem:
        raise CheckpointError(f"{folder / OPTIMISER}: no readable safetensors ({first_line(problem)})") from None


def written_whole(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Have a folder filled beside its place, with a manifest; then put it there."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        around = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as problem:
        raise SaveError(f"{folder}: cannot be written ({problem.strerror}); what was saved before is whole") from None
    beside = around / "new"
    try:
        beside.mkdir()
        fill(beside)
        write_manifest(beside)
        for path in sorted(beside.iterdir()):
            path.chmod(0o644)  # what is to be shared is not for one person's eyes
            sync_path(path)
        sync_path(beside)
        if folder.exists():
            os.rename(folder, around / "old")
        os.rename(beside, folder)
        sync_path(folder.parent)
    except (OSError, SafetensorError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else first_line(problem)
        raise SaveError(f"{folder}: cannot be written ({reason}); what was saved before is whole") from None
    finally:
        shutil.rmtree(around, ignore_errors=True)
    return folder


def sync_path(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def discard(folder: Path) -> None:
    """Remove a folder; half of it never looks like the whole, because it is renamed first."""
    around = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    os.rename(folder, around / "old")
    shutil.rmtree(around, ignore_errors=True)


@contextmanager
def alone(run: Path) -> Iterator[None]:
    """Nobody else trains in this folder meanwhile; the lock goes with the process, however it ends."""
    try:
        run.mkdir(parents=True, exist_ok=True)
        file = (run / ".lock").open("w")
    except OSError as problem:
        raise SaveError(f"{run}: cannot be written ({problem.strerror})") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SaveError(f"{run}: another training is at work in this folder") from None
        yield
