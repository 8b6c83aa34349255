"""JSON that nobody should send: values of the wrong type, out of range, nested, renamed, left out, said twice."""

import json
import math
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

RAW = {  # what json.dumps would not write
    "@deep@": "[" * 3000 + "]" * 3000,
    "@deep objects@": '{"a":' * 3000 + "1" + "}" * 3000,
    "@open@": "[" * 3000,
    "@digits@": "9" * 5000,
    "@overflow@": "1e999",
    "@half@": '"\\ud800"',
    "@comment@": "/**/",
}
NO_NUMBERS: list[Any] = [None, True, False, "", "x", "0", "\x00", "\u202e", "x" * 5000, {}, {"a": 1}, {"": None}]
NO_NUMBERS += [*RAW, math.nan, math.inf, -math.inf, [["x"]], [None], [{}]]
HUGE = [2**31, 2**32, 2**63, 2**64, -(2**31) - 1, -(2**63) - 1, 10**400, 1e300, -1e300, 5e-324]
FRACTIONS = [0.5, -0.5, 1.0, 1e-9, 0.1]
JUNK = [*NO_NUMBERS, *HUGE, *FRACTIONS, [], [[]], [[[[[[0]]]]]], list(range(3000)), [0] * 3000]


def to_text(value: Any) -> str:
    text = json.dumps(value)
    for name, raw in RAW.items():
        text = text.replace(json.dumps(name), raw)
    return text


def paths(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Every part of a value, itself included."""
    yield path
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in below:
        yield from paths(part, (*path, name))


def replaced(value: Any, path: tuple, part: Any) -> Any:
    """The value with another part at a path."""
    if not path:
        return part
    copy = deepcopy(value)
    home = copy
    for name in path[:-1]:
        home = home[name]
    home[path[-1]] = part
    return copy


def mutated(value: Any, dice: random.Random) -> str:
    """A text of JSON, or nearly, that differs somewhere; it may still mean something."""
    path = dice.choice([*paths(value)])
    part = value
    for name in path:
        part = part[name]
    kind = dice.choice(["junk", "junk", "junk", "nest", "drop", "rename", "twice", "cut", "flip", "extra"])
    if kind == "nest":
        return to_text(replaced(value, path, [part] if dice.random() < 0.5 else {"a": part}))
    if kind == "drop" and path:
        copy = deepcopy(value)
        home = copy
        for name in path[:-1]:
            home = home[name]
        del home[path[-1]]
        return to_text(copy)
    if kind in ("rename", "extra") and isinstance(part, dict) and part:
        name = dice.choice([*part])
        wrong = dice.choice([name.upper(), f"{name} ", name[:-1], f"{name}s", "place", "places", "__class__", "\ud800"])
        kept = {other: each for other, each in part.items() if kind == "extra" or other != name}
        return to_text(replaced(value, path, kept | {wrong: part[name]}))
    if kind == "twice" and isinstance(value, dict) and value:
        text, name = to_text(value), dice.choice([*value])
        return "{" + f"{json.dumps(name)}: {to_text(dice.choice(JUNK))}, " + text[1:]
    text = to_text(value)
    if kind == "cut":
        return text[: dice.randrange(len(text))]
    if kind == "flip":
        at = dice.randrange(len(text))
        return text[:at] + chr(dice.randrange(1, 256)) + text[at + 1 :]
    return to_text(replaced(value, path, dice.choice(JUNK)))
