"""Settings that somebody else wrote, read with distrust: every value of its type and in its range."""

import reprlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from regard.errors import RegardError

LARGEST = sys.float_info.max  # what is beyond is no number
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = 80


def shown(value: object) -> str:
    """A value as a message shows it: in one short line, whatever it is."""
    try:
        return " ".join(SHORT.repr(list(value) if isinstance(value, tuple) else value).splitlines())
    except ValueError:  # Python writes no number of so many digits
        return f"a number of {value.bit_length():,} bits" if isinstance(value, int) else type(value).__name__


@dataclass(frozen=True)
class Range:
    """The numbers from `least` to `most`; with `open_below` or `open_above` without that end."""

    least: float
    most: float
    open_below: bool = False
    open_above: bool = False

    def __contains__(self, number: float) -> bool:
        is_above = self.least < number if self.open_below else self.least <= number
        return is_above and (number < self.most if self.open_above else number <= self.most)

    def __str__(self) -> str:
        lower = f"{'above' if self.open_below else 'from'} {self.least:,}"
        if self.most == LARGEST:
            return f"{lower}{' on' if not self.open_below else ''}" if self.least > -LARGEST else "that is finite"
        return f"{lower} {'to below' if self.open_above else 'to'} {self.most:,}"


TOKEN = Range(0, (1 << 31) - 1)
"""The number of a token: no vocabulary is larger."""
NO_TOKEN = -1
SINGLE_TOKENS = frozenset(f"{role}_token_id" for role in ("bos", "pad", "sep", "cls", "mask", "unk", "forced_bos"))
"""Roles that one token has; several may end a text."""


class Settings:
    """The entries of an object, read one by one. Errors begin with `where`, the name of the file, and name the key."""

    entries: Mapping[str, Any]  # as JSON has them
    where: str
    error: type[RegardError]

    def __init__(self, entries: Mapping[str, object], where: str, error: type[RegardError]) -> None:
        self.entries, self.where, self.error = entries, where, error

    def get(self, key: str, default: object = None) -> object:
        """The value of a key as it is, or its default."""
        return self.entries.get(key, default)

    def refuse(self, key: str, expected: str) -> NoReturn:
        """Raise the error that says what was expected of a key."""
        raise self.error(f"{self.where}: {key} = {shown(self.entries.get(key))}: {expected} expected")

    def integer(self, key: str, default: int, allowed: Range) -> int:
        """A whole number."""
        value = self.get(key, default)
        if type(value) is not int or value not in allowed:
            self.refuse(key, f"a whole number {allowed}")
        return value

    def integer_or_none(self, key: str, default: int | None, allowed: Range) -> int | None:
        """A whole number, or null for none."""
        return None if self.get(key, default) is None else self.integer(key, default or 0, allowed)

    def number(self, key: str, default: float, allowed: Range) -> float:
        """A number, whole or not."""
        value = self.get(key, default)
        if not (type(value) is int or type(value) is float) or value not in allowed:
            self.refuse(key, f"a number {allowed}")
        return value

    def number_or_none(self, key: str, allowed: Range) -> float | None:
        """A number; None where it is left out or null."""
        return None if self.get(key) is None else self.number(key, 0.0, allowed)

    def flag(self, key: str, default: bool) -> bool:
        """True or false; null is as good as leaving it out."""
        value = self.get(key)
        if value is not None and type(value) is not bool:
            self.refuse(key, "true or false")
        return default if value is None else value

    def text(self, key: str, default: str = "") -> str:
        """A string; null is as good as leaving it out."""
        value = self.get(key)
        if value is not None and type(value) is not str:
            self.refuse(key, "a string")
        return default if value is None else value

    def object(self, key: str) -> Mapping[Any, Any]:
        """An object as JSON has it; an empty one where it is left out or null."""
        value = self.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.refuse(key, "an object")
        return {} if value is None else value

    def list(self, key: str) -> list[Any]:
        """A list as JSON has it; an empty one where it is left out or null."""
        value = self.get(key)
        if value is not None and not isinstance(value, list):
            self.refuse(key, "a list")
        return [] if value is None else value

    def one_of(self, key: str, default: str, names: Iterable[str]) -> str:
        """One of some names."""
        value, known = self.get(key, default), sorted(names)
        if not isinstance(value, str) or value not in known:
            raise self.error(f"{self.where}: {key} = {shown(value)} is not supported, only {', '.join(known)}")
        return value

    def token(self, key: str) -> int | None:
        """The number of a token, if one is named: null and -1 are none."""
        return None if self.get(key) == NO_TOKEN else self.integer_or_none(key, None, TOKEN)

    def tokens(self, key: str) -> tuple[int, ...]:
        """The numbers of some tokens: one, a list where there may be several, or none."""
        value, several = self.get(key), key not in SINGLE_TOKENS
        numbers = value if isinstance(value, list) and several else [] if value in (None, NO_TOKEN) else [value]
        tokens = tuple(number for number in numbers if type(number) is int and number in TOKEN)
        if len(tokens) < len(numbers):
            self.refuse(key, f"the number of a token {TOKEN}{', or a list of them,' if several else ''}")
        return tokens
