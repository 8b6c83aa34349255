"""The log as TensorBoard shows it."""

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from regard.files import make_folder, save_errors
from regard.training.run.log import LogLine, read_log

FOLDER = "tensorboard"
MISSING = "train.tensorboard: tensorboard is not installed, no event files: pip install 'regard[train]'"


class TensorBoardWriter:
    """Event files in the run, with the points of log.jsonl: train/loss, valid/bleu, final/bleu.

    A point of a step that is done again is taken back first. The clock is in these files; nothing compares them. They
    are written by this thread: that of torch's SummaryWriter prints a traceback where the disk refuses.
    """

    def __init__(self, folder: Path, first_step: int) -> None:
        """A new file in a folder; what others in it say of this step and later ones is taken back."""
        from tensorboard.summary.writer.record_writer import RecordWriter

        self.events: Any = import_module("tensorboard.compat.proto.event_pb2")  # made at run time, of no type
        self.summaries: Any = import_module("tensorboard.compat.proto.summary_pb2")
        self.path: Path = next_event_file(folder)
        with save_errors(self.path):
            make_folder(folder)
            self.records: Any = RecordWriter(self.path.open("wb"))
        self.put(step=first_step, file_version="brain.Event:2")
        self.put(step=first_step, session_log=self.events.SessionLog(status=self.events.SessionLog.START))

    @classmethod
    def of(cls, run: Path, step: int, say: Callable[[str], None]) -> "TensorBoardWriter | None":
        """Go on after `step`, with the log as it is now. None where tensorboard is not installed, which is said."""
        folder = run / FOLDER
        first_step = step if any(folder.glob("events.*")) else 0
        try:
            board = cls(folder, first_step)
        except ImportError:
            say(MISSING)
            return None
        for line in read_log(run):
            if line["step"] >= first_step:
                board.add(line)
        board.flush()
        return board

    def write(self, line: LogLine) -> None:
        """The points of a line of the log, on the disk before anything is saved that comes after them."""
        self.add(line)
        self.flush()

    def add(self, line: LogLine) -> None:
        valid_group = "final" if "final" in line else "valid"
        groups = {"train": line, valid_group: line.get("valid", {})}
        for group, values in groups.items():
            for name, value in values.items():
                if name != "step" and type(value) in (int, float):
                    point = self.summaries.Summary.Value(tag=f"{group}/{name}", simple_value=value)
                    self.put(step=line["step"], summary=self.summaries.Summary(value=[point]))

    def put(self, **fields: object) -> None:
        with save_errors(self.path):
            self.records.write(self.events.Event(wall_time=time.time(), **fields).SerializeToString())

    def flush(self) -> None:
        with save_errors(self.path):
            self.records.flush()

    def close(self) -> None:
        with suppress(OSError):  # what the disk did not take was said when it was written
            self.records.close()


def next_event_file(folder: Path) -> Path:
    """Files are read in the order of their names, which begin with the time: later than all there are, whatever the
    clock says."""
    times = [int(path.name.split(".")[3]) for path in folder.glob("events.out.tfevents.[0-9]*.*")]
    number = max([int(time.time()), *(before + 1 for before in times)])
    return folder / f"events.out.tfevents.{number:010d}.{socket.gethostname()}.{os.getpid()}"
