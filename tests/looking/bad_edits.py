"""Edits as nobody should write them: a generator that gives the same files for the same seed."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mutations import FRACTIONS, HUGE, NO_NUMBERS, mutated, to_text

from regard.looking.edit_kinds import EDIT_KINDS

LAYERS = ["encoder.0.self", "encoder.*", "decoder.1.self", "decoder.0.cross", "*.self", "*"]
SCALARS, LISTS = [*NO_NUMBERS, *HUGE], [*NO_NUMBERS[1:], *HUGE, *FRACTIONS, 0, 3]
NO_INDICES = [[value] for value in [*NO_NUMBERS, *HUGE, *FRACTIONS]] + [[0, 0], [[0]], [0, [1]]]
BAD: dict[str, list[Any]] = {
    "do": [*NO_NUMBERS, *HUGE, "Hide", "temper", "hide ", "blur", ["hide"], 3],
    "layer": [value for value in [*NO_NUMBERS, *HUGE, *FRACTIONS] if value != "x"] + ["nowhere", "decoder.9.self", "["],
    "heads": [*LISTS, *NO_INDICES],
    "rows": [*LISTS, *NO_INDICES],
    "positions": [None, *LISTS, *NO_INDICES[:-3], [[0]]],
    "temperature": [*SCALARS, 0, -1, 1e-7, [1.0], [[2.0]]],
    "factor": [*SCALARS, [], [[]], [[[1.0]]], [1.0, "x"], [[1.0], [1.0, 2.0]], [None]],
    "weights": [*SCALARS, 0.5, [], [[]], [[[[[1.0]]]]], [1.0, [0.0]], [[1.0], [1.0, 0.0]], ["x"], [1e300]],
}
BAD |= dict.fromkeys(("batch", "queries", "keys"), BAD["heads"])
BAD["weight"] = ["x", None, [], [[]], [1.0, "x"], [1.0, [0.0]], [[1.0], [1.0, 0.0]], [1e300], [[[[[1.0]]]]]]
BAD["factor"] = [value for value in BAD["factor"] if value not in (5e-324,)]
BAD["heads"] = [value for value in BAD["heads"] if value is not None]
for name in ("batch", "queries", "keys"):
    BAD[name] = [value for value in BAD[name] if value is not None]
BAD["rows"] = [value for value in BAD["rows"] if value is not None]


@dataclass(frozen=True)
class EditFile:
    """What a file holds; whether it is certain that it has to be refused."""

    label: str
    content: bytes
    is_bad: bool


def good_edit(dice: random.Random) -> dict[str, Any]:
    kind = dice.choice([*EDIT_KINDS])
    keys = 5
    weights = [0.0] * keys
    weights[0] = 1.0
    fields = {
        "layer": dice.choice(LAYERS),
        "heads": dice.choice([None, [0], [1, 0], [-1]]),
        "rows": dice.choice([None, [0], [2]]),
        "positions": dice.choice([[0], [1, -1], [4, 4]]),
        "temperature": dice.choice([0.5, 2, 1e6, 1e-6]),
        "factor": dice.choice([0, 0.5, -2, 1e6]),
        "weights": dice.choice([weights, [weights]]),
        "batch": dice.choice([None, [0]]),
        "queries": dice.choice([None, [0], [2, 1]]),
        "keys": dice.choice([None, [0], [1]]),
        "weight": dice.choice([0, 0.25]),
    }
    return {"do": kind} | {name: fields[name] for name in EDIT_KINDS[kind].fields}


def edit_files(seed: int, count: int) -> Iterator[EditFile]:
    """So many files: most have one fault each, which is known, others were only changed somewhere."""
    dice = random.Random(seed)
    for _ in range(count):
        edits = [good_edit(dice) for _ in range(dice.randrange(1, 4))]
        record = dice.choice(edits)
        kind, required = record["do"], EDIT_KINDS[record["do"]].required
        faults = ["field"] * 4 + ["missing", "unknown", "twice", "record", "whole", "bytes"] + ["any"] * 3 + ["none"]
        fault = dice.choice(faults)
        is_bad = fault not in ("any", "none")
        if fault == "field":
            name = dice.choice([*record])
            record[name] = dice.choice(BAD[name])
            fault = f"{kind}.{name}"
        elif fault == "missing":
            del record[dice.choice([*required, "do"])]
        elif fault == "unknown":
            record[dice.choice(["factr", "Heads", "place", "places", "", "do ", "version", "edits"])] = 1
        elif fault == "record":
            edits[dice.randrange(len(edits))] = dice.choice([*NO_NUMBERS, *HUGE, [], [record]])
        text = to_text(dice.choice([edits, {"version": 2, "edits": edits}]))
        content = text.encode("utf-8", "surrogatepass")
        if fault == "twice":
            name = dice.choice([*record])
            content = content.replace(f'"{name}":'.encode(), f'"{name}": 0, "{name}":'.encode(), 1)
        elif fault == "whole":
            whole = [*NO_NUMBERS, *HUGE, {}, {"version": 2}, {"version": 3, "edits": []}, {"edits": {}}, record]
            content = to_text(dice.choice(whole)).encode()
        elif fault == "bytes":
            codings = [
                b"\xff" + content,
                content.decode().encode("utf-16"),
                b"",
                content[:-1],
                b"\xef\xbb\xbf" + content,
            ]
            content = dice.choice([*codings, content + b"]", b"\x00" + content, content.replace(b'"', b"'")])
        elif fault == "any":
            content = mutated(json.loads(content), dice).encode("utf-8", "surrogatepass")
        yield EditFile(fault, content, is_bad)
