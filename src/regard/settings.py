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


def shown(value: Any) -> str:
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


class Settings:
    """The entries of an object, read one by one. Errors begin with `where`, the name of the file, and name the key."""

    def __init__(self, entries: Mapping[str, Any], where: str, error: type[RegardError]) -> None:
        self.entries, self.where, self.error = entries, where, error

    def get(self, key: str, default: Any = None) -> Any:
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
        if type(value) not in (int, float) or value not in allowed:
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
        """An object; an empty one where it is left out or null."""
        value = self.get(key)
        if value is not None and not isinstance(value, Mapping):
            self.refuse(key, "an object")
        return {} if value is None else value

    def list(self, key: str) -> list[Any]:
        """A list; an empty one where it is left out or null."""
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
        """The numbers of some tokens: one, a list, or none."""
        value = self.get(key)
        numbers = value if isinstance(value, list) else [] if value in (None, NO_TOKEN) else [value]
        if any(type(number) is not int or number not in TOKEN for number in numbers):
            self.refuse(key, f"the number of a token {TOKEN}, or a list of them,")
        return tuple(numbers)
