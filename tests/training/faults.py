"""Faults on purpose, before the n-th change to the files of a folder: the process dies, or the disk refuses."""

import os
import signal
import sys
from itertools import count

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = ("open", "os.rename", "os.mkdir", "os.chmod")
REMOVALS = ("os.remove", "os.rmdir")  # their paths are relative to a folder that is open


def before_changes(folder, then):
    """From now on `then` is told the number of every change before it is made, and whether it is a sync.

    Python's audit hooks cannot be taken back: this is for a child, and for the rest of its life.
    """
    home, numbers = os.path.realpath(folder), count(1)

    def hook(event, given):
        if event in REMOVALS or (event in CHANGES and inside(given[0]) and is_change(event, given)):
            then(next(numbers), is_sync=event == "open" and not given[2] & WRITES)

    def inside(path):
        return isinstance(path, str | os.PathLike) and os.path.realpath(path).startswith(home)

    def is_change(event, given):
        return event != "open" or bool(given[2] & WRITES) or given[1] is None  # os.open, which only a sync uses to read

    sys.addaudithook(hook)


def dies(folder, at):
    """This process is killed before the change of that number."""

    def then(number, is_sync):
        if number == at:
            os.kill(os.getpid(), signal.SIGKILL)

    before_changes(folder, then)


def refuses(folder, at, error):
    """The disk refuses that change, and all that come after it."""

    def then(number, is_sync):
        if number >= at and not is_sync:
            raise OSError(error, os.strerror(error))

    before_changes(folder, then)
