"""What commands that ask a model share: where texts come from, where answers go, which model, how far along."""

import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import click

from regard.cli.renamed import Command
from regard.errors import RegardError
from regard.text.lines import OPENERS, UNREADABLE

FIRST_LINES = 16  # that are read before any is answered, if they are there; then four times as many, and so on
LINES = 2000  # at most
BYTES = 1 << 20  # or so much of them
STANDARD = "standard input"


@runtime_checkable
class Advance(Protocol):
    """Told how much is done, and how fast that goes."""

    def __call__(self, done: float, rate: str = "") -> None: ...


@runtime_checkable
class Bytes(Protocol):
    """A file or a pipe that gives what it has."""

    def read1(self, size: int = -1, /) -> bytes: ...

    def fileno(self) -> int: ...


class TextChunk(NamedTuple):
    """Some texts, the number of the first, and how far in all texts the last of them is."""

    texts: list[str]
    first: int
    until: int


class ArgumentTexts:
    """Texts from the command line: one chunk of them."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self.total: int = len(texts)

    def __iter__(self) -> Iterator[TextChunk]:
        for number, text in enumerate(self.texts):
            try:
                text.encode()
            except UnicodeEncodeError:
                raise RegardError(f"text {number + 1} is not UTF-8") from None
        yield TextChunk(list(self.texts), 1, self.total)


class Lines:
    """Lines of a file or pipe, as many at a time as are there: a slow writer is answered line by line."""

    def __init__(self, file: Bytes, name: str) -> None:
        self.file = file
        self.name = name
        self.total: int = size_of(file)

    def __iter__(self) -> Iterator[TextChunk]:
        waiting: list[bytes] = []
        pending: list[bytes] = []
        number, size, limit = 1, 0, FIRST_LINES
        while data := self.read():
            size += len(data)
            first, *others = data.split(b"\n")
            pending.append(first)
            if others:
                waiting += [b"".join(pending), *others[:-1]]
                pending = [others[-1]]
            while len(waiting) >= limit or (waiting and (size >= BYTES or not self.is_ready())):
                yield self.chunk(waiting[:limit], number)
                number += len(waiting[:limit])
                del waiting[:limit]
                size, limit = 0, min(LINES, 4 * limit)
        if last := b"".join(pending):
            waiting.append(last)
        while waiting:
            yield self.chunk(waiting[:limit], number)
            number += len(waiting[:limit])
            del waiting[:limit]
            limit = min(LINES, 4 * limit)

    def read(self) -> bytes:
        """What is there, or what comes next; nothing at the end."""
        try:
            return self.file.read1(1 << 16)
        except (*UNREADABLE, ValueError) as problem:
            raise RegardError(f"{self.name}: cannot be read on: {problem}") from None

    def is_ready(self) -> bool:
        """Whether more can be read without waiting."""
        import select

        try:
            return bool(select.select([self.file], [], [], 0)[0])
        except (OSError, ValueError):  # no real file, or not on this system
            return True

    def chunk(self, lines: list[bytes], number: int) -> TextChunk:
        return TextChunk(
            [self.text(line, number + offset) for offset, line in enumerate(lines)], number, position_in(self.file)
        )

    def text(self, line: bytes, number: int) -> str:
        try:
            return line.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError:
            where = f"line {number} of {STANDARD} is" if self.name == STANDARD else f"{self.name}:{number}:"
            raise RegardError(f"{where} not UTF-8") from None


class Whole:
    """All of a file or pipe as one text, without the line break at its end."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.total: int = lines.total

    def __iter__(self) -> Iterator[TextChunk]:
        texts = [text for chunk in self.lines for text in chunk.texts]
        if texts:
            yield TextChunk(["\n".join(texts)], 1, self.total)


def size_of(file: Bytes) -> int:
    """The size of a file; 0 for a pipe, whose end nobody knows."""
    try:
        status = os.fstat(file.fileno())
        return status.st_size if stat.S_ISREG(status.st_mode) else 0
    except OSError:
        return 0


def position_in(file: Bytes) -> int:
    """How far a file is read."""
    try:
        return os.lseek(file.fileno(), 0, os.SEEK_CUR)
    except OSError:
        return 0


def text_options(model: str | None) -> Callable[[Command], Command]:
    """The argument and the options of every command that asks a model about texts; `model` is the usual one."""
    usual: dict[str, Any] = {"required": True} if model is None else {"default": model}  # as click takes it
    options = (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each text."),
        click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1."),
        click.option(
            "--model",
            "-m",
            metavar="NAME",
            help="A folder, a built-in name or a Hugging Face id.",
            **usual,
        ),
        click.argument("texts", nargs=-1, metavar="[TEXT]..."),
    )

    def asks(command: Command) -> Command:
        for option in options:
            command = option(command)
        return command

    return asks


def read_texts(texts: tuple[str, ...], file: str | None = None, whole: bool = False) -> ArgumentTexts | Lines | Whole:
    """The texts of the command line, or the lines of a file, or those of standard input; `whole`: all lines as one."""
    if texts and file:
        raise click.UsageError("TEXT or --input FILE, not both")
    if texts:
        return ArgumentTexts(texts)
    if file:
        return Whole(Lines(open_input(file), file)) if whole else Lines(open_input(file), file)
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("no text: give TEXT, or lines on standard input")
    lines = Lines(cast(Bytes, sys.stdin.buffer), STANDARD)
    return Whole(lines) if whole else lines


def open_input(file: str) -> Bytes:
    """A file of lines, plain or packed; closed when the command ends."""
    from pathlib import Path

    try:
        stream = OPENERS.get(Path(file).suffix, open)(Path(file), "rb")
    except OSError as problem:
        raise RegardError(f"{file}: cannot be read: {problem.strerror or problem}") from None
    click.get_current_context().call_on_close(stream.close)
    return cast(Bytes, stream)


@contextmanager
def progress(total: int, to_file: bool = False) -> Iterator[Advance | None]:
    """Shows how much of so much is done, on a terminal where no answers appear; nothing where nobody looks."""
    if not total or not sys.stderr.isatty() or (sys.stdout.isatty() and not to_file):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("", total=total, rate="")
        yield lambda done, rate="": bar.update(task, completed=done, rate=rate)


class ChunkProgress:
    """Tells a bar how far the texts of each chunk are; several chunks may be under way."""

    def __init__(self, advance: Advance | None) -> None:
        self.advance = advance
        self.until: int = 0
        self.done: float = 0.0
        self.texts: int = 0
        self.since: float = time.monotonic()
        self._lock = threading.Lock()

    def over(self, chunk: TextChunk) -> Callable[[int], None] | None:
        """For a task, which tells how many texts it has done, again and again."""
        if self.advance is None:
            return None
        advance, each = self.advance, (chunk.until - self.until) / max(1, len(chunk.texts))
        self.until = chunk.until

        def step(count: int) -> None:
            with self._lock:
                self.done += each * count
                self.texts += count
                seconds = time.monotonic() - self.since
                advance(self.done, f"{self.texts / seconds:.0f} texts/s" if seconds > 1 else "")

        return step
