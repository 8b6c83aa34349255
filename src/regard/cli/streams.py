"""Standard streams that hold: output in whole lines, however full the disk, and no stream that is missing."""

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from regard.errors import RegardError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STANDARD_OUTPUT = "standard output"


@runtime_checkable
class ByteSink(Protocol):
    """Whatever takes bytes."""

    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> None: ...


class OutputError(RegardError, OSError):
    """What was to be written could not be; the message names the file."""


class WholeLines(io.RawIOBase):
    """A file that ends in a whole line whatever happens: a part of one that got through is taken back.

    After the first failure nothing more is written, so that what a buffer still holds fails no second time.
    """

    def __init__(self, descriptor: int, name: str) -> None:
        self.descriptor = descriptor
        self.label = name
        self.unfinished: int = 0  # bytes behind the last line break
        self.has_failed: bool = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.descriptor

    def isatty(self) -> bool:
        return os.isatty(self.descriptor)

    def write(self, data: "ReadableBuffer", /) -> int:
        content = bytes(data)
        done = 0
        try:
            while done < len(content) and not self.has_failed:
                done += os.write(self.descriptor, content[done:])
        except OSError as problem:
            self.has_failed = True
            self.count(content[:done])
            if problem.errno == errno.EPIPE:
                raise  # whoever read has enough: no fault
            self.take_back()
            raise OutputError(f"{self.label}: cannot be written: {problem.strerror or problem}") from None
        self.count(content)
        return len(content)

    def count(self, written: bytes) -> None:
        """Keep in mind how much of a line there is."""
        end = written.rfind(b"\n")
        self.unfinished = self.unfinished + len(written) if end < 0 else len(written) - end - 1

    def take_back(self) -> None:
        """Cut the file behind its last whole line, if it is one that nobody else has written on."""
        try:
            status, end = os.fstat(self.descriptor), os.lseek(self.descriptor, 0, os.SEEK_CUR)
            if stat.S_ISREG(status.st_mode) and status.st_size == end:
                os.ftruncate(self.descriptor, end - self.unfinished)
        except OSError:
            pass  # a pipe, a terminal


@contextmanager
def whole_output() -> Iterator[None]:
    """Within it, standard output is written in whole lines, and a stream that was closed does no harm.

    Whatever is printed where standard output is closed is an error; where standard error is, it goes nowhere.
    """
    for descriptor in range(3):
        open_if_closed(descriptor)
    before = sys.stdout, sys.stderr
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - it is there until the program ends
    encoding = "utf-8" if sys.stdout is None else sys.stdout.encoding
    if sys.stdout is not None:
        sys.stdout.flush()
    raw = WholeLines(1, STANDARD_OUTPUT)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="backslashreplace", line_buffering=raw.isatty()
    )
    try:
        yield
    finally:
        try:
            sys.stdout.flush()
        finally:
            raw.has_failed = True  # whoever still holds this stream writes nowhere
            sys.stdout, sys.stderr = before


def open_if_closed(descriptor: int) -> None:
    """Occupy a standard stream that is closed: the next file would take its number, and get what was meant for it."""
    try:
        os.fstat(descriptor)
    except OSError:
        nothing = os.open(os.devnull, os.O_RDONLY if descriptor == 1 else os.O_RDWR)  # printing to it fails
        if nothing != descriptor:
            os.dup2(nothing, descriptor)
            os.close(nothing)


class WholeMembers:
    """A packed file that ends behind a whole member whatever happens: what is written at once is one."""

    def __init__(self, descriptor: int, name: str) -> None:
        self.descriptor = descriptor
        self.label = name

    def write(self, data: bytes, /) -> int:
        packed = PACKERS[os.path.splitext(self.label)[1]](data) if data else b""
        end, done = os.lseek(self.descriptor, 0, os.SEEK_CUR), 0
        try:
            while done < len(packed):
                done += os.write(self.descriptor, packed[done:])
        except OSError as problem:
            os.ftruncate(self.descriptor, end)
            raise OutputError(f"{self.label}: cannot be written: {problem.strerror or problem}") from None
        return len(data)

    def flush(self) -> None:
        pass


def pack_gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, mtime=0)


def pack_xz(data: bytes) -> bytes:
    import lzma

    return lzma.compress(data)


PACKERS = {".gz": pack_gzip, ".xz": pack_xz}
"""How a file is packed, by the end of its name; others are plain."""


@contextmanager
def open_output(file: str | None, keep: int | None = None) -> Iterator[Callable[[Iterable[str]], None]]:
    """Writes lines, all that come at once: whatever happens, those that are there are whole. So many bytes of a file
    that is there are kept, and written on after them."""
    if file is None:
        yield lambda lines: _write(sys.stdout.buffer, lines)
        return
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if keep is None else 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(file, flags, 0o666)
        if keep is not None:
            os.ftruncate(descriptor, keep)
            os.lseek(descriptor, keep, os.SEEK_SET)
    except OSError as problem:
        raise OutputError(f"{file}: cannot be written: {problem.strerror or problem}") from None
    try:
        is_packed = os.path.splitext(file)[1] in PACKERS
        stream = WholeMembers(descriptor, file) if is_packed else io.BufferedWriter(WholeLines(descriptor, file))
        yield lambda lines: _write(stream, lines)
    finally:
        os.close(descriptor)


def _write(stream: ByteSink, lines: Iterable[str]) -> None:
    stream.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    stream.flush()
