"""Changing what a model attends to, and nothing else."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.errors import RegardError, lookup
from regard.looking.places import Places
from regard.looking.watch import tapped

Record = dict[str, Any]
"""One edit as data: where ("place", "heads"), what ("do") and how much."""


def hide(pattern: Pattern, record: Record) -> Pattern:
    return pattern.hide(record["places"])


def scale(pattern: Pattern, record: Record) -> Pattern:
    return pattern.scale(record["factor"], record["heads"])


def temper(pattern: Pattern, record: Record) -> Pattern:
    return pattern.temper(record["temperature"], record["heads"])


def set_rows(pattern: Pattern, record: Record) -> Pattern:
    return pattern.set(torch.as_tensor(record["weights"]), record["heads"], record["rows"])


EDITS: dict[str, tuple[Callable[[Pattern, Record], Pattern], set[str]]] = {
    "hide": (hide, {"places"}),
    "scale": (scale, {"factor", "heads"}),
    "temper": (temper, {"temperature", "heads"}),
    "set": (set_rows, {"weights", "heads", "rows"}),
}
"""What can be done, and what has to be said for it."""


class Edits:
    """A list of edits that are at work while the block lasts; each is plain data."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.records: list[Record] = []

    def head(self, place: str, head: int | Sequence[int]) -> "HeadEdit":
        """One head, or several, of the layers whose names fit."""
        return HeadEdit(self, place, [head] if isinstance(head, int) else list(head))

    def hide(
        self, tokens: Sequence[int] | None = None, *, source: Sequence[int] = (), target: Sequence[int] = ()
    ) -> None:
        """Nobody sees these tokens: anywhere, or as part of the source or of the target."""
        for place in self.places.layers:
            of_source = place.startswith("encoder") or place.endswith("cross")
            places = [*(tokens or ()), *(source if of_source else target)]
            if places:
                self.add({"do": "hide", "place": place, "places": places})

    def add(self, record: Record) -> None:
        """One edit as data, checked."""
        kind = record.get("do", "")
        _, needed = lookup(EDITS, kind, "edit")
        if missing := needed - record.keys():
            raise RegardError(f"the edit {kind!r} needs {', '.join(sorted(missing))}, got {json.dumps(plain(record))}")
        self.places.chosen([record.get("place", "*")])
        self.records.append(record)

    def save(self, path: str | Path) -> None:
        """Write the edits as JSON; `regard.edit(model, path)` applies them again."""
        Path(path).write_text(json.dumps([plain(record) for record in self.records], indent=1) + "\n", encoding="utf-8")

    def clear(self) -> None:
        """Take all of them back."""
        self.records.clear()

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"Edits({json.dumps([plain(record) for record in self.records])})"


class HeadEdit:
    """What can be done to a head. Each takes effect from the next call on."""

    def __init__(self, edits: Edits, place: str, heads: list[int]) -> None:
        self.edits, self.place, self.heads = edits, place, heads

    def off(self) -> "HeadEdit":
        """The head gathers nothing: its part before the output projection is zero."""
        return self.scale(0.0)

    def scale(self, factor: float | Tensor) -> "HeadEdit":
        """What the head gathers is multiplied. A tensor may want a gradient."""
        return self._add({"do": "scale", "factor": factor})

    def temper(self, temperature: float) -> "HeadEdit":
        """Scores divided by a temperature."""
        return self._add({"do": "temper", "temperature": temperature})

    def set(self, weights: Tensor | Sequence, rows: Sequence[int] | None = None) -> "HeadEdit":
        """The weights are what you say, in these rows or in all."""
        return self._add({"do": "set", "weights": weights, "rows": rows})

    def _add(self, record: Record) -> "HeadEdit":
        self.edits.add({"place": self.place, "heads": self.heads, **record})
        return self


class Editor(Tap):
    """Applies the edits that are meant for its place."""

    def __init__(self, names: list[str], edits: Edits) -> None:
        self.names, self.edits = names, edits

    def edit(self, pattern: Pattern) -> Pattern:
        for record in self.edits.records:
            if any(fnmatchcase(name, record.get("place", "*")) for name in self.names):
                pattern = EDITS[record["do"]][0](pattern, record)
        return pattern


def plain(record: Record) -> Record:
    """The same without tensors, for JSON."""
    return {name: value.tolist() if isinstance(value, Tensor) else value for name, value in record.items()}


@contextmanager
def edit(model: nn.Module, edits: str | Path | Sequence[Record] = ()) -> Iterator[Edits]:
    """Change what a model attends to, in this block and this thread only.

    `edits` are earlier ones: a file that was saved, or its contents.
    """
    places = Places(model)
    mine = Edits(places)
    for record in read(edits) if isinstance(edits, str | Path) else edits:
        mine.add(record)
    modules = dict.fromkeys(places.layers.values())
    taps = {
        module: Editor([name for name, layer in places.layers.items() if layer is module], mine) for module in modules
    }
    with tapped(taps):
        yield mine


def read(path: str | Path) -> list[Record]:
    """Edits from a file of JSON."""
    try:
        records = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise RegardError(f"{path}: edits cannot be read: {problem}") from None
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise RegardError(f"{path}: a list of edits expected, got {type(records).__name__}")
    return records
