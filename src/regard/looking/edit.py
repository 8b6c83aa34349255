"""Changing what a model attends to, and nothing else."""

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.regions import Indices, as_list
from regard.errors import RegardError, ShapeError, lookup
from regard.looking.edit_fields import FIELDS, refuse_old_words
from regard.looking.layer_names import LayerNames, LayerTap, attends_to_source, shorten
from regard.looking.reach import Reach, keys_so_far, tokens_of
from regard.looking.set_weights import set_weights
from regard.looking.watch import attach_taps, is_rerun

VERSION = 2
"""Of the files that edits are saved in; version 1 had none, and other names for some fields."""
Record = dict[str, Any]
"""One edit as data: where ("layer", "heads"), what ("do") and how much."""


def hide(pattern: Pattern, record: Record, layer: str) -> Pattern:
    positions = record["positions"]
    if not attends_to_source(layer):  # a text that is being written may not have come so far
        count = keys_so_far(pattern)
        positions = [position for position in positions if -count <= position < count]
    return pattern.hide(positions)


def scale(pattern: Pattern, record: Record, layer: str) -> Pattern:
    return pattern.scale(as_tensor(record["factor"], pattern), record["heads"])


def set_temperature(pattern: Pattern, record: Record, layer: str) -> Pattern:
    return pattern.with_temperature(record["temperature"], record["heads"])


def set_rows(pattern: Pattern, record: Record, layer: str) -> Pattern:
    return set_weights(pattern, layer, as_tensor(record["weights"], pattern), record["heads"], record["rows"])


def as_tensor(values: Any, pattern: Pattern) -> Tensor:
    """Numbers as a tensor, exact for this pattern; one that is a tensor already may want a gradient."""
    exact = torch.promote_types(pattern.query.dtype, torch.float32)
    return values if isinstance(values, Tensor) else torch.as_tensor(values, dtype=exact)


@dataclass(frozen=True)
class EditKind:
    """A kind of edit: what it does to the pattern of a layer, the fields that it needs, and those that it may have."""

    apply: Callable[[Pattern, Record, str], Pattern]
    required: frozenset[str]
    optional: frozenset[str] = frozenset({"layer"})

    @property
    def fields(self) -> frozenset[str]:
        return self.required | self.optional | {"do"}


EDITS: dict[str, EditKind] = {
    "hide": EditKind(hide, frozenset({"positions"})),
    "scale": EditKind(scale, frozenset({"factor", "heads"})),
    "temperature": EditKind(set_temperature, frozenset({"temperature", "heads"})),
    "set": EditKind(set_rows, frozenset({"weights", "heads", "rows"})),
}
"""What can be done to the pattern of a layer, and what is said for it."""


def check_record(record: Record) -> Record:
    """An edit as data, whoever wrote it: of a known kind, with its fields and no others, each within its range."""
    refuse_old_words(record)
    name = record.get("do", "")
    kind = lookup(EDITS, name if isinstance(name, str) else repr(name), "edit")
    if unknown := sorted(map(str, record.keys() - kind.fields)):
        fields = "field" if len(unknown) == 1 else "fields"
        names = ", ".join(map(repr, unknown))
        raise RegardError(f"the edit {name!r} has no {fields} {names}: known: {', '.join(sorted(kind.fields))}")
    if missing := kind.required - record.keys():
        text = json.dumps(plain_record(record), default=repr)
        raise RegardError(f"the edit {name!r} needs {', '.join(sorted(missing))}, got {text}")
    return {field: FIELDS[field](value) if field in FIELDS else value for field, value in record.items()}


class Edits:
    """A list of edits that are at work while the block lasts; each is plain data."""

    def __init__(self, layer_names: LayerNames) -> None:
        self.layer_names = layer_names
        self.records: list[Record] = []
        self.reach = Reach()

    def head(self, layer: str, head: Indices) -> "HeadEdit":
        """One head, or several, of the layers whose names fit."""
        return HeadEdit(self, layer, as_list(head, "head"))

    def hide(
        self, tokens: Sequence[int] | None = None, *, source: Sequence[int] = (), target: Sequence[int] = ()
    ) -> None:
        """Nobody sees these tokens: anywhere, or as part of the source or of the target."""
        layers = {layer: attends_to_source(layer) for layer in self.layer_names.layers}
        for side, side_tokens, has_layer in (
            ("source", source, any(layers.values())),
            ("target", target, not all(layers.values())),
        ):
            if len(side_tokens) and not has_layer:
                raise RegardError(f"no layer looks at a {side}: known: {shorten([*layers])}")
        for layer, is_source in layers.items():
            positions = [*(() if tokens is None else tokens), *(source if is_source else target)]
            if positions:
                self.add({"do": "hide", "layer": layer, "positions": positions})

    def add(self, record: Record) -> None:
        """One edit as data, checked."""
        record = check_record(record)
        self.layer_names.match([record.get("layer", "*")], among=self.layer_names.layers)
        self.records.append(record)

    def save(self, path: str | Path) -> None:
        """Write the edits as JSON; `regard.edit(model, path)` applies them again."""
        saved = {"version": VERSION, "edits": [plain_record(record) for record in self.records]}
        Path(path).write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")

    def clear(self) -> None:
        """Take all of them back."""
        self.records.clear()

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"Edits({json.dumps([plain_record(record) for record in self.records])})"


class HeadEdit:
    """What can be done to a head. Each takes effect from the next call on."""

    def __init__(self, edits: Edits, layer: str, heads: list[int]) -> None:
        self.edits, self.layer, self.heads = edits, layer, heads

    def off(self) -> "HeadEdit":
        """The head gathers nothing: its part before the output projection is zero."""
        return self.scale(0.0)

    def scale(self, factor: float | Tensor) -> "HeadEdit":
        """What the head gathers is multiplied. A tensor may want a gradient."""
        return self._add({"do": "scale", "factor": factor})

    def temperature(self, temperature: float) -> "HeadEdit":
        """Scores divided by a temperature."""
        return self._add({"do": "temperature", "temperature": temperature})

    def set(self, weights: Tensor | np.ndarray | Sequence, rows: Indices | None = None) -> "HeadEdit":
        """The weights are what you say, in these rows or in all: (keys), (rows, keys), with heads and batch before.

        Each row sums to 1, or to 0, and gives nothing to keys that the mask forbids. Rows and keys are positions in
        their texts: padding does not count, and a row that is not written yet waits.
        """
        return self._add({"do": "set", "weights": weights, "rows": rows})

    def _add(self, record: Record) -> "HeadEdit":
        self.edits.add({"layer": self.layer, "heads": self.heads, **record})
        return self


class Editor(LayerTap):
    """Applies the edits that are meant for its layer."""

    def __init__(self, names: list[str], edits: Edits) -> None:
        super().__init__(names)
        self.edits = edits

    def edit(self, pattern: Pattern) -> Pattern:
        layer, records = self.records_of_rerun() if is_rerun() else self.records_of_call()
        for record in records:
            self.edits.reach.note_length(record, layer, tokens_of(pattern, record, layer))
            try:
                pattern = EDITS[record["do"]].apply(pattern, record, layer)
            except ShapeError as problem:
                raise ShapeError(f"{layer}: {problem}") from None
        return pattern

    def text_length(self, tokens: int) -> None:
        for name in self.names:
            for record in self.records_for(name):
                self.edits.reach.note_length(record, name, tokens)

    def records(self) -> list[Record] | None:
        first, *others = map(self.records_for, self.names)
        return None if any([*map(id, first)] != [*map(id, other)] for other in others) else first

    def records_for(self, name: str) -> list[Record]:
        return [record for record in self.edits.records if fnmatchcase(name, record.get("layer", "*"))]

    def records_of_call(self) -> tuple[str, list[Record]]:
        """The layer of this call, and the edits for it."""
        layer = self.next_name()
        return layer, self.records_for(layer)

    def records_of_rerun(self) -> tuple[str, list[Record]]:
        """The same of a call that is repeated for the sake of a gradient; which layer it was is not known."""
        first, *others = map(self.records_for, self.names)
        if any([*map(id, first)] != [*map(id, other)] for other in others):
            raise RegardError(
                f"{shorten(self.names)} are one layer: under activation checkpointing it can be edited in all of its "
                "names or in none"
            )
        return self.names[0], first


def plain_record(record: Record) -> Record:
    """The same without tensors, for JSON."""
    return {name: value.tolist() if isinstance(value, Tensor) else value for name, value in record.items()}


@contextmanager
def edit(model: nn.Module, edits: str | Path | Sequence[Record] = ()) -> Iterator[Edits]:
    """Change what a model attends to, in this block and this thread only.

    `edits` are earlier ones: a file that was saved, or its contents. A position of a text that is being written may
    still come; one that never did is told in a warning when the block ends.
    """
    layer_names = LayerNames(model)
    active = Edits(layer_names)
    for record in read_edits(edits) if isinstance(edits, str | Path) else edits:
        active.add(record)
    taps: dict[nn.Module, Tap] = {module: Tap() for module in layer_names.around}
    taps |= {module: Editor(layer_names.of(module), active) for module in dict.fromkeys(layer_names.layers.values())}
    with attach_taps(taps):
        yield active
    if lines := active.reach.unreached():
        warnings.warn("; ".join(lines), stacklevel=3)


def read_edits(path: str | Path) -> list[Record]:
    """Edits from a file of JSON: what `Edits.save` wrote, or a plain list of records."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise RegardError(f"{path}: edits cannot be read: {problem}") from None
    if isinstance(saved, dict) and saved.get("version", VERSION) != VERSION:
        raise RegardError(f"{path}: edits of version {VERSION} expected, got version {saved['version']!r}")
    records = saved.get("edits") if isinstance(saved, dict) else saved
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise RegardError(f"{path}: a list of edits expected, got {type(saved).__name__}")
    return records
