"""The files of a tokeniser, read with distrust."""

import json
from pathlib import Path
from typing import Any

from regard.errors import RegardError

LARGEST = 256 << 20


class TokenizerError(RegardError, ValueError):
    """A tokeniser that cannot be read, or a text that it cannot take."""


def read_text(path: Path) -> str:
    """A file of UTF-8; the lines end as they do in the file."""
    try:
        if path.stat().st_size > LARGEST:
            raise TokenizerError(f"{path}: {path.stat().st_size >> 20} MiB, more than any tokeniser needs")
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError) as problem:
        raise TokenizerError(f"{path}: no readable text ({type(problem).__name__}: {problem})") from None


def read_object(path: Path) -> dict[str, Any]:
    """An object from a file of JSON; an empty one where there is no such file."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, TokenizerError):
            raise
        raise TokenizerError(f"{path}: no readable JSON ({type(problem).__name__}: {problem})") from None
    if not isinstance(content, dict):
        raise TokenizerError(f"{path}: an object expected, got {type(content).__name__}")
    return content


def read_vocabulary(path: Path) -> dict[str, int]:
    """Words and their numbers: vocab.json."""
    content = read_object(path)
    if not content or not all(type(number) is int and 0 <= number < 1 << 31 for number in content.values()):
        raise TokenizerError(f"{path}: an object from token to number expected")
    return content
