"""The lines of a file of text, plain or packed, read as a stream and with distrust."""

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Literal

from regard.errors import RegardError

LONGEST = 64 << 20  # bytes of one line that are still taken for a line
OPENERS: dict[str, Callable[[Path, Literal["rb"]], BufferedIOBase]] = {".gz": gzip.GzipFile, ".xz": lzma.LZMAFile}
"""How a packed file is opened, by the end of its name; others are plain."""
UNREADABLE = (OSError, EOFError, lzma.LZMAError, zlib.error)
"""What reading raises where a file, or what is packed in it, is damaged."""


class DataError(RegardError, ValueError):
    """Data that cannot be used as it is; the message names file and line."""


def raw_lines(path: Path, longest: int = LONGEST) -> Iterator[bytes]:
    """Lines as bytes, each with the "\\n" that ends it, and only that; a line longer than `longest` comes in parts."""
    number = 0
    try:
        with OPENERS.get(path.suffix, open)(path, "rb") as file:
            while line := file.readline(longest):
                yield line
                number += line.endswith(b"\n")
    except IsADirectoryError:
        raise DataError(f"{path}: a folder, where a file of text is expected") from None
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except UNREADABLE as problem:
        reason = str(problem) or type(problem).__name__
        raise DataError(f"{path}:{number + 1}: cannot be read or unpacked from here on ({reason})") from None


def read_lines(path: str | Path, *, ends: bool = False) -> Iterator[str]:
    """The lines of a file. Only "\\n" ends one; with `ends` it stays, and the lines joined are the file.

    A file without lines, a byte that is not UTF-8 and a NUL are errors: whatever is read is all there is.
    """
    path = Path(path)
    number = 0
    for line in raw_lines(path):
        number += 1
        if len(line) >= LONGEST and not line.endswith(b"\n"):
            raise DataError(f"{path}:{number}: a line of more than {LONGEST >> 20} MiB")
        yield decode_line(line if ends else line.removesuffix(b"\n"), path, number)
    if number == 0:
        raise DataError(f"{path}: empty, where lines of text are expected")


def decode_line(line: bytes, path: Path, number: int) -> str:
    """One line as text."""
    if b"\0" in line:
        raise DataError(f"{path}:{number}: a NUL at byte {line.index(0) + 1} of the line, where text is expected")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        bad = f"0x{line[problem.start]:02X}"
        raise DataError(f"{path}:{number}: not UTF-8: {bad} at byte {problem.start + 1} of the line") from None
