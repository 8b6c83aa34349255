"""Files and folders that are written whole or not at all, in this order: write beside, sync, rename, sync."""

import errno
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regard.errors import RegardError

NEW, OLD = "new", "old"
UNKNOWN_CALL = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EXDEV)
"""What a file system answers that cannot exchange two folders."""


class SaveError(RegardError):
    """A file or folder that could not be written; those that were there before are whole."""

    path: Path
    reason: str

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@contextmanager
def save_errors(path: Path) -> Iterator[None]:
    """What the disk refuses is one line that names this path, also where it befell a part of it."""
    try:
        yield
    except SaveError as problem:
        raise SaveError(path, problem.reason) from None
    except OSError as problem:
        reason = problem.strerror or str(problem) or type(problem).__name__
        raise SaveError(path, f"cannot be written ({reason}); what was saved before is whole") from None


def write_file(path: Path, content: str | bytes | memoryview, *, is_lasting: bool = True) -> Path:
    """Write a new file beside this one; then rename it. Text is written as UTF-8, its line ends as they are.

    A link is followed, and what is no regular file (a pipe, /dev/stdout) is written to as it is. What need not outlast
    a power cut, because its readers notice, is not waited for until it is on the disk.
    """
    data = content.encode() if isinstance(content, str) else content
    with save_errors(path):
        home = path.resolve()
        if home.exists() and not home.is_file():
            home.write_bytes(data)
            return path
        beside = home.with_name(f".{home.name}.{secrets.token_hex(4)}")
        try:
            beside.write_bytes(data)
            if home.exists():
                shutil.copymode(home, beside)
            if is_lasting:
                sync_path(beside)
            os.replace(beside, home)
            if is_lasting:
                sync_path(home.parent)
        finally:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
    return path


def write_folder(folder: Path, fill: Callable[[Path], object]) -> Path:
    """Fill a new folder beside this one; then rename it. The old folder is removed last."""
    with save_errors(folder):
        make_folder(folder.parent)
        around = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        beside = around / NEW
        try:
            beside.mkdir()
            fill(beside)
            for path in sorted(beside.rglob("*")):
                if path.is_file():
                    path.chmod(0o644)  # what is to be shared is not for one person's eyes
                sync_path(path)
            sync_path(beside)
            put_in_place(beside, folder)
            sync_path(folder.parent)
        finally:
            restore_or_remove(around, folder)
    return folder


def put_in_place(beside: Path, folder: Path) -> None:
    """Give a finished folder its name. One that has the name already is exchanged with it, where the system can."""
    if folder.exists():
        if exchange(beside, folder):
            return
        os.rename(folder, beside.with_name(OLD))  # should it end here, restore_or_remove() brings it back
    os.rename(beside, folder)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step, so that both are there at any time; False where that cannot be done."""
    import ctypes  # when a folder is replaced, there is time to load it

    arguments = (os.fsencode(one), os.fsencode(other))
    if sys.platform == "linux":
        name, here = "renameat2", -100  # AT_FDCWD
        arguments = (here, arguments[0], here, arguments[1])
    elif sys.platform == "darwin":
        name = "renamex_np"
    else:
        return False
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if call is None:
        return False
    sys.audit("os.rename", one, other, -1, -1)
    if call(*arguments, 2) == 0:  # RENAME_EXCHANGE, RENAME_SWAP
        return True
    if (number := ctypes.get_errno()) in UNKNOWN_CALL:
        return False
    raise OSError(number, os.strerror(number), str(other))


def restore_or_remove(around: Path, folder: Path) -> None:
    """Remove what was written beside a folder; the old folder goes back if no new one has replaced it."""
    if (around / OLD).is_dir() and not folder.exists():
        os.rename(around / OLD, folder)
        sync_path(folder.parent)
    if around.is_dir():
        shutil.rmtree(around, ignore_errors=True)
    else:
        around.unlink(missing_ok=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder; half of it never looks like the whole, because it is renamed first."""
    away = folder.with_name(f".{folder.name}.away")
    shutil.rmtree(away, ignore_errors=True)
    with save_errors(folder):
        os.rename(folder, away)
    shutil.rmtree(away, ignore_errors=True)


def sweep(folder: Path, name: str, *, seconds: float = 0.0) -> None:
    """Clear what an interruption left of files and folders of this name, or pattern, so many seconds ago."""
    for path in sorted(folder.glob(f".{name}.*")) if folder.is_dir() else ():
        with save_errors(folder), suppress(FileNotFoundError):  # whose process finished it, or swept, just now
            if not seconds or path.stat().st_mtime < time.time() - seconds:
                restore_or_remove(path, folder / path.name[1:].rpartition(".")[0])


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
