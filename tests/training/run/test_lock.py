"""A run is locked with what the system has, and nothing but the lock needs to know which system that is."""

import os
import subprocess
import sys

import pytest
import torch
from training.run.test_state import MEMORY, model_files

from regard.files import SaveError, write_file
from regard.training.run.estimate import format_estimate, peak_memory
from regard.training.run.state import CheckpointStore, TrainingProgress, lock_run

# What Python has on Linux and macOS only is refused to our modules; others ask the system before they import it.
IMPORTS = """
import builtins, importlib, pkgutil, sys
import regard

MISSING = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "curses"}
plain = builtins.__import__

def refusing(name, globals=None, locals=None, fromlist=(), level=0):
    if name in MISSING and str((globals or {}).get("__name__")).startswith("regard"):
        raise ImportError(f"No module named {name!r}")
    return plain(name, globals, locals, fromlist, level)

builtins.__import__ = refusing
names = [module.name for module in pkgutil.walk_packages(regard.__path__, "regard.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
assert "regard.training.run.state" in sys.modules
print("all")
"""


def test_every_module_is_imported_where_there_is_no_fcntl():
    ran = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "all\n"


class Regions:
    """The module msvcrt as far as it locks: one holder for the first byte of a file, until that is closed."""

    LK_NBLCK = 2

    def __init__(self):
        self.held = []

    def locking(self, number, mode, size):
        assert (mode, size) == (self.LK_NBLCK, 1)
        assert os.lseek(number, 0, os.SEEK_CUR) == 0
        file = os.fstat(number).st_ino
        if any(is_open(other, file) for other in self.held if other != number):
            raise PermissionError(13, "Permission denied")
        self.held.append(number)


def is_open(number, file):
    try:
        return os.fstat(number).st_ino == file
    except OSError:
        return False


@pytest.fixture
def windows(monkeypatch):
    """A system without fcntl that opens no folders, syncs only what may be written, and renames onto nothing."""
    is_folder, opened, synced, renamed = os.path.isdir, os.open, os.fsync, os.rename
    flags = {}

    def open_file(path, mode, *rest, **named):
        if is_folder(path):
            raise PermissionError(13, "Permission denied", str(path))
        number = opened(path, mode, *rest, **named)
        flags[number] = mode
        return number

    def sync(number):
        if not flags[number] & (os.O_RDWR | os.O_WRONLY):
            raise OSError(9, "Bad file descriptor")
        synced(number)

    def rename(old, new):
        if os.path.exists(new):
            raise FileExistsError(17, "File exists", str(new))
        renamed(old, new)

    for module in ("fcntl", "resource"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "msvcrt", Regions())
    monkeypatch.setattr(sys, "platform", "win32")
    for name, function in {"open": open_file, "fsync": sync, "rename": rename}.items():
        monkeypatch.setattr(os, name, function)


@pytest.mark.usefixtures("windows")
def test_msvcrt_locks_a_run_where_there_is_no_fcntl(tmp_path):
    run = tmp_path / "runs" / "one"
    with lock_run(run), pytest.raises(SaveError, match="another training is at work in this folder"), lock_run(run):
        pass
    with lock_run(run):
        pass


@pytest.mark.usefixtures("windows")
def test_checkpoints_are_written_where_folders_cannot_be_opened(tmp_path):
    checkpoints = CheckpointStore(tmp_path / "run" / "checkpoints")
    for evaluated in (1, 2):
        checkpoints.save(TrainingProgress(step=3, evaluated_step=evaluated), MEMORY, model_files)
    assert checkpoints.latest()[1].evaluated_step == 2
    for text in ("one", "two"):
        write_file(tmp_path / "run" / "recipe.toml", text)
    assert (tmp_path / "run" / "recipe.toml").read_text() == "two"


@pytest.mark.usefixtures("windows")
def test_an_estimate_says_when_the_system_does_not_tell_its_memory():
    sizes = ("parameters", "vocabulary", "examples", "steps_an_epoch", "epochs", "checkpoint_mb")
    times = ("seconds_a_step", "tokens_per_second", "hours")
    assert peak_memory(torch.device("cpu")) is None
    shown = format_estimate(dict.fromkeys((*sizes, *times), 1) | {"memory_mb": None})
    assert "memory: this system does not say" in shown
