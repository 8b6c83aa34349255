"""JSON that somebody else wrote: it has one meaning, a bounded depth, and numbers and texts that can be used."""

import json
import math
from typing import Any

from regard.errors import RegardError

MAX_DEPTH = 32


class JsonError(RegardError, ValueError):
    """A text that is no JSON, or JSON that two readers may read differently; the message says where."""


def parse_json(content: bytes) -> Any:
    """The value of a text in UTF-8. Names that come twice, NaN, infinity and half characters are refused."""
    try:
        value = json.loads(
            content.decode("utf-8"),
            parse_float=finite_float,
            parse_constant=refuse_constant,
            object_pairs_hook=unique_names,
        )
    except UnicodeDecodeError as problem:
        raise JsonError(f"UTF-8 expected, got the byte 0x{content[problem.start]:02x} at {problem.start}") from None
    except RecursionError:
        raise JsonError(f"nested more than {MAX_DEPTH} deep") from None
    except json.JSONDecodeError as problem:
        raise JsonError(f"no JSON: {problem}") from None
    except JsonError:
        raise
    except ValueError:  # Python reads no whole number of more than 4300 digits
        raise JsonError("a whole number of too many digits") from None
    check_parts(value)
    return value


def finite_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise JsonError(f"a finite number expected, got {digits[:40]}")
    return number


def refuse_constant(name: str) -> float:
    raise JsonError(f"a finite number expected, got {name}")


def unique_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for name, value in pairs:
        if name in fields:
            raise JsonError(f"the name {name[:40]!r} comes twice in one object")
        fields[name] = value
    return fields


def check_parts(value: object) -> None:
    """Raise where a value is nested too deeply, or holds half a character, which no file could be written with."""
    parts = [(value, 0)]
    while parts:
        part, depth = parts.pop()
        if isinstance(part, str):
            if not part.isascii() and any("\ud800" <= letter <= "\udfff" for letter in part):
                raise JsonError(f"half of a surrogate pair in {part[:40]!r}")
        elif isinstance(part, dict | list):
            if depth == MAX_DEPTH:
                raise JsonError(f"nested more than {MAX_DEPTH} deep")
            below = [*part, *part.values()] if isinstance(part, dict) else part
            parts += [(each, depth + 1) for each in below if isinstance(each, str | dict | list)]
