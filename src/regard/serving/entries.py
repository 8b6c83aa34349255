"""What a service remembers between requests, by name: in memory, or in a folder where several processes share it."""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class Entries(Protocol):
    """Some bytes for each name, the oldest first. Names are the service's own: letters, digits, hyphens, dots."""

    def put(self, name: str, content: bytes) -> None: ...

    def get(self, name: str) -> bytes | None: ...

    def touch(self, name: str) -> None:
        """Make an entry the newest, if it is there."""
        ...

    def delete(self, name: str) -> None: ...

    def sizes(self) -> dict[str, int]:
        """How large each is, the oldest first."""
        ...


def make_room(entries: Entries, count: int, size: int) -> None:
    """Drop the oldest, until there are so many at most, of so many bytes together; the newest stays."""
    sizes = entries.sizes()
    total = sum(sizes.values())
    for name, own in list(sizes.items())[:-1]:
        if len(sizes) <= count and total <= size:
            return
        entries.delete(name)
        total -= sizes.pop(name, own)


class MemoryEntries:
    """Entries of this process."""

    def __init__(self) -> None:
        self.contents: OrderedDict[str, bytes] = OrderedDict()
        self.lock: threading.Lock = threading.Lock()

    def put(self, name: str, content: bytes) -> None:
        with self.lock:
            self.contents[name] = content

    def get(self, name: str) -> bytes | None:
        with self.lock:
            return self.contents.get(name)

    def touch(self, name: str) -> None:
        with self.lock:
            if name in self.contents:
                self.contents.move_to_end(name)

    def delete(self, name: str) -> None:
        with self.lock:
            self.contents.pop(name, None)

    def sizes(self) -> dict[str, int]:
        with self.lock:
            return {name: len(content) for name, content in self.contents.items()}


class FolderEntries:
    """Entries as files: whoever reads one has all of it, or none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def path(self, name: str) -> Path | None:
        """Where an entry is; None for a name that is none of ours."""
        is_ours = name.replace("-", "").replace(".", "").isalnum() and name.isascii() and name[0] != "."
        return self.folder / name if is_ours else None

    def put(self, name: str, content: bytes) -> None:
        path = self.path(name)
        assert path is not None
        unfinished = self.folder / f".{name}.{os.getpid()}.{threading.get_ident()}"
        unfinished.write_bytes(content)
        set_time(unfinished)
        unfinished.replace(path)

    def get(self, name: str) -> bytes | None:
        path = self.path(name)
        try:
            return None if path is None else path.read_bytes()
        except OSError:
            return None

    def touch(self, name: str) -> None:
        if (path := self.path(name)) is not None:
            with suppress(FileNotFoundError):
                set_time(path)

    def delete(self, name: str) -> None:
        if (path := self.path(name)) is not None:
            path.unlink(missing_ok=True)

    def sizes(self) -> dict[str, int]:
        files = []
        with os.scandir(self.folder) as found:
            for file in found:
                if not file.name.startswith("."):
                    try:
                        status = file.stat()
                    except FileNotFoundError:  # another process made room
                        continue
                    files.append((status.st_mtime_ns, file.name, status.st_size))
        return {name: size for _, name, size in sorted(files)}


def set_time(path: Path) -> None:
    """The newest from now on: finer than a file system's own clock."""
    now = time.time_ns()
    os.utime(path, ns=(now, now))


OpenEntries = Callable[[str], Entries]
"""Where entries of some kind are stored."""


def memory_entries(kind: str) -> Entries:
    return MemoryEntries()


def folder_entries(folder: Path) -> OpenEntries:
    """Entries in subfolders of a folder."""
    return lambda kind: FolderEntries(folder / kind)
