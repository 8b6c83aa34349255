"""What happened, a line of JSON each. What depends on the clock is kept apart from what can be repeated."""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol, TextIO, runtime_checkable

from regard.files import SaveError, save_errors

LOG, TIMES = "log.jsonl", "times.jsonl"
OLD_KEYS = {"rate": "learning_rate"}  # of version 0.1

LogLine = dict[str, Any]
"""A line as JSON has it."""


@runtime_checkable
class LogListener(Protocol):
    """Shown every line that can be compared."""

    def write(self, line: LogLine) -> None: ...
    def close(self) -> None: ...


class TrainingLog:
    """The two logs of a run: log.jsonl, the same to the bit however often it was interrupted, and times.jsonl."""

    def __init__(self, folder: Path, length: int = 0, *, writes: bool = True) -> None:
        """Go on after the first `length` bytes; what was written later belongs to steps that are done again."""
        self.path: Path = folder / LOG
        self.writes = writes
        self.listeners: list[LogListener] = []
        self._lines: TextIO | None = None
        if not writes:
            return
        with save_errors(self.path):
            with self.path.open("a+b") as file:
                file.truncate(length)
                sync(file)
            self._times = (folder / TIMES).open("a", encoding="utf-8")
            self._lines = self.path.open("a", encoding="utf-8")

    def write(self, step: int, **values: object) -> None:
        """One line that can be compared."""
        if self._lines is not None:
            line = {"step": step, **values}
            self._put(self._lines, line)
            for reader in self.listeners:
                reader.write(line)

    def time(self, step: int, **values: object) -> None:
        """One line that cannot."""
        if self._lines is not None:
            self._put(self._times, {"step": step, "time": round(time.time(), 3), **values})

    def _put(self, file: TextIO, line: LogLine) -> None:
        with save_errors(self.path):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()

    def synced_length(self) -> int:
        """How long the log is, once it is safely on the disk."""
        if self._lines is None:
            return 0
        with save_errors(self.path):
            sync(self._lines)
            if not self.path.exists():
                raise SaveError(self.path, "gone: the folder of the run was removed or renamed while it was at work")
            return self.path.stat().st_size

    def close(self) -> None:
        if self._lines is not None:
            for file in (self._lines, self._times):
                with suppress(OSError):  # what the disk did not take was said when it was written
                    file.close()
            for reader in self.listeners:
                reader.close()


def sync(file: IO[str] | IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def seconds_so_far(run: Path, step: int) -> float:
    """How long the steps up to this one took in all, evaluations included; steps that were done again count again."""
    lines = (line for line in read_log(run, TIMES) if line.get("step", 0) <= step)
    return sum(float(line.get(key, 0.0)) for line in lines for key in ("seconds", "evaluation"))


def read_log(run: Path, name: str = LOG) -> list[LogLine]:
    """The lines of a run's log; a last line that is not whole is left out."""
    path = run / name
    if not path.is_file():
        return []
    entries: list[LogLine] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            entry = json.loads(line) if line else None
        except ValueError:
            continue
        if isinstance(entry, dict):
            entries.append({OLD_KEYS.get(str(key), str(key)): value for key, value in entry.items()})
    return entries
