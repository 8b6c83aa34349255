"""What a run has to remember: weights, optimiser, and a step number. Written whole or not at all, with their sums."""

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from regard.checkpoints import CheckpointError
from regard.checkpoints.files import MANIFEST, check_manifest, first_line, read_json, write_with_manifest
from regard.checkpoints.tensors import write_tensors
from regard.families.old_names import current_tensors
from regard.files import SaveError, make_folder, remove_folder, save_errors, sweep
from regard.training.run.lock import lock

STATE, OPTIMISER, LOCK = "state.json", "optimiser.safetensors", ".lock"
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


@dataclass(frozen=True)
class TrainingProgress:
    """How far a run is. `evaluated_step` is the last step that was evaluated; `log_length` is how many bytes of the log
    belong to all this. `loss` (label smoothing included), `cross_entropy` and `count` are sums since the last line of
    the log."""

    step: int = 0
    evaluated_step: int = -1
    best: float | None = None
    best_step: int = -1
    best_loss: float | None = None
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
            write_tensors({key: value.contiguous() for key, value in optimiser_state.items()}, beside / OPTIMISER)
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
                remove_folder(self.path(step))

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


@contextmanager
def lock_run(run: Path) -> Iterator[None]:
    """Nobody else trains in this folder meanwhile; the lock goes with the process, however it ends."""
    with save_errors(run):
        make_folder(run)
        file = (run / LOCK).open("w")
    with file:
        try:
            lock(file)
        except OSError:
            raise SaveError(run, "another training is at work in this folder") from None
        yield
