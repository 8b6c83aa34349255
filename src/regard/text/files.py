"""The files of a tokeniser, read with distrust."""

from pathlib import Path

from regard.errors import RegardError
from regard.settings import TOKEN, Settings
from regard.untrusted import read_bytes, read_optional_json

LARGEST = 256 << 20


class TokenizerError(RegardError, ValueError):
    """A tokeniser that cannot be read, or a text that it cannot take."""


def read_text(path: Path) -> str:
    """A file of UTF-8; the lines end as they do in the file."""
    try:
        return read_bytes(path, LARGEST, TokenizerError).decode("utf-8")
    except UnicodeDecodeError as problem:
        raise TokenizerError(f"{path}: UTF-8 expected, got other bytes at {problem.start}") from None


def read_settings(path: Path) -> Settings:
    """An object from a file of JSON; an empty one where there is no such file."""
    return Settings(read_optional_json(path, TokenizerError), str(path), TokenizerError)


def read_vocabulary(path: Path) -> dict[str, int]:
    """Words and their numbers: vocab.json."""
    settings = read_settings(path)
    check_numbers(settings)
    if not settings.entries:
        raise TokenizerError(f"{path}: an object from token to number expected")
    return dict(settings.entries)


def check_numbers(settings: Settings) -> None:
    """Raise unless every entry is the number of a token."""
    for token, number in settings.entries.items():
        if type(number) is not int or number not in TOKEN:
            settings.refuse(token, f"a token's number {TOKEN}")
