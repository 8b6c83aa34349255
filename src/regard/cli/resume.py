"""How far a file of answers is, so that it can be written on as if nothing had happened."""

import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from regard.cli.texts import TextChunk
from regard.errors import RegardError


@dataclass(frozen=True)
class ResumePoint:
    """So many texts are answered, in so many bytes of the file."""

    texts: int = 0
    bytes: int = 0


@runtime_checkable
class Unpacker(Protocol):
    """Unpacks one member of a file."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def gzip_unpacker() -> Unpacker:
    return zlib.decompressobj(31)


UNPACKERS: dict[str, Callable[[], Unpacker]] = {".gz": gzip_unpacker, ".xz": lzma.LZMADecompressor}


def resume_point(file: str, *, is_numbered: bool = False) -> ResumePoint:
    """Where a file of answers, a line each, ends in a whole one. With `is_numbered` each line begins with the number
    of its text, and the last text may lack some."""
    path = Path(file)
    try:
        if not path.exists():
            return ResumePoint()
        if path.suffix in UNPACKERS:
            return packed_point(path, is_numbered)
        with path.open("rb") as lines:
            return numbered_point(lines, file) if is_numbered else plain_point(lines)
    except OSError as problem:
        raise RegardError(f"{file}: cannot be read: {problem.strerror or problem}") from None


def plain_point(lines: Iterable[bytes]) -> ResumePoint:
    texts = size = 0
    for line in lines:
        if line.endswith(b"\n"):
            texts, size = texts + 1, size + len(line)
    return ResumePoint(texts, size)


def numbered_point(lines: Iterable[bytes], file: str) -> ResumePoint:
    point, size, last = ResumePoint(), 0, 0
    for line in lines:
        number = number_of(line, file) if line.endswith(b"\n") else last
        if number != last:  # all lines of the text before are there
            point, last = ResumePoint(last, size), number
        size += len(line)
    return point


def number_of(line: bytes, file: str) -> int:
    number = line.partition(b"\t")[0]
    if not number.isdigit():
        raise RegardError(f"{file}: lines with a number, a score and a text expected, got {line[:40]!r}")
    return int(number)


def packed_point(path: Path, is_numbered: bool) -> ResumePoint:
    """Whole members hold whole texts: what follows the last of them is left."""
    texts = size = 0
    for member, length in members(path):
        lines = member.splitlines()
        texts = number_of(lines[-1], str(path)) if is_numbered and lines else texts + member.count(b"\n")
        size += length
    return ResumePoint(texts, size)


def members(path: Path) -> Iterator[tuple[bytes, int]]:
    """The contents of each whole member of a packed file, and its size there."""
    data = path.read_bytes()
    while data:
        unpacker = UNPACKERS[path.suffix]()
        try:
            content = unpacker.decompress(data)
        except (zlib.error, lzma.LZMAError):
            return
        if not unpacker.eof:
            return
        yield content, len(data) - len(unpacker.unused_data)
        data = unpacker.unused_data


def skip_texts(chunks: Iterable[TextChunk], count: int, file: str) -> Iterator[TextChunk]:
    """The chunks without so many texts at the beginning."""
    seen = 0
    for chunk in chunks:
        done = max(0, min(len(chunk.texts), count - seen))
        seen += len(chunk.texts)
        if done < len(chunk.texts):
            yield TextChunk(chunk.texts[done:], chunk.first + done, chunk.until)
    if seen < count:
        raise RegardError(f"{file} has {count} answers, the input {seen} texts: it is of another input")
