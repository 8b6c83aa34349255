"""The log as TensorBoard shows it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from regard.training.run.log import read_log

FOLDER = "tensorboard"
MISSING = "train.tensorboard: tensorboard is not installed, no event files: pip install 'regard[train]'"


class TensorBoardWriter:
    """Event files in the run, with the points of log.jsonl: train/loss, valid/bleu, final/bleu.

    A point of a step that is done again is taken back first. The clock is in these files; nothing compares them.
    """

    def __init__(self, writer: Any) -> None:
        self.writer = writer

    @classmethod
    def of(cls, run: Path, step: int, say: Callable[[str], None]) -> "TensorBoardWriter | None":
        """Go on after `step`, with the log as it is now. None where tensorboard is not installed, which is said."""
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            say(MISSING)
            return None
        folder = run / FOLDER
        first_step = step if any(folder.glob("events.*")) else 0
        board = cls(SummaryWriter(str(folder), purge_step=first_step))
        for line in read_log(run):
            if line["step"] >= first_step:
                board.add(line)
        board.writer.flush()
        return board

    def write(self, line: dict[str, Any]) -> None:
        """The points of a line of the log, on the disk before anything is saved that comes after them."""
        self.add(line)
        self.writer.flush()

    def add(self, line: dict[str, Any]) -> None:
        valid_group = "final" if "final" in line else "valid"
        groups = {"train": line, valid_group: line.get("valid", {})}
        for group, values in groups.items():
            for name, value in values.items():
                if name != "step" and type(value) in (int, float):
                    self.writer.add_scalar(f"{group}/{name}", value, line["step"])

    def close(self) -> None:
        self.writer.close()
