"""Changing what a model attends to, and nothing else."""

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.regions import Indices, is_number
from regard.attention.taps import active
from regard.errors import RegardError, ShapeError, UnknownName
from regard.looking.edit_fields import whole_numbers
from regard.looking.edit_kinds import EDIT_KINDS, Record
from regard.looking.edit_records import check_edit, check_edits, read_edits, save_edits
from regard.looking.layer_names import LayerNames, LayerTap, attends_to_source, shorten
from regard.looking.reach import Reach, tokens_of
from regard.looking.recompute import is_rerun
from regard.looking.site_editor import VECTORS, SiteEdit, SiteEditor
from regard.looking.watch import attach_taps

SHOWN = 8  # numbers of a tensor that are shown one by one


class Edits:
    """A list of edits that are at work while the block lasts; each is plain data."""

    def __init__(self, model: nn.Module, layer_names: LayerNames) -> None:
        self.layer_names = layer_names
        self.site_editor: SiteEditor = SiteEditor(model, self)
        self.records: list[Record] = []
        self.reach: Reach = Reach()

    def head(self, layer: str, head: Indices) -> "HeadEdit":
        """One head, or several, of the layers whose names fit."""
        return HeadEdit(self, layer, [head] if is_number(head) else head)

    def hide(
        self, tokens: Sequence[int] | None = None, *, source: Sequence[int] = (), target: Sequence[int] = ()
    ) -> None:
        """Nobody sees these tokens: anywhere, or as part of the source or of the target."""
        tokens = () if tokens is None else whole_numbers(tokens, "tokens")
        source, target = whole_numbers(source, "source"), whole_numbers(target, "target")
        layers = {layer: attends_to_source(layer) for layer in self.layer_names.layers}
        for side, side_tokens, has_layer in (
            ("source", source, any(layers.values())),
            ("target", target, not all(layers.values())),
        ):
            if side_tokens and not has_layer:
                raise RegardError(f"no layer looks at a {side}: known: {shorten([*layers])}")
        for layer, is_source in layers.items():
            positions = [*tokens, *(source if is_source else target)]
            if positions:
                self.add({"do": "hide", "layer": layer, "positions": positions})

    def site(
        self,
        name: str,
        *,
        heads: Indices | None = None,
        positions: Indices | None = None,
        batch: Indices | None = None,
        start: int | Mapping[str, object] | None = None,
        stop: int | Mapping[str, object] | None = None,
    ) -> SiteEdit:
        """A site, or several whose names fit (see `regard.sites`): all of it, or some heads, positions and members.

        `start` and `stop` are the first position that is edited and the first that is not any more; or conditions that
        the text decides, while it is written too: start={"token": 198} at each such token (or [198, 30], any of them),
        stop={"token": 13} at the next of these, stop={"after": 5} so many tokens from each start on, or both.
        """
        some = {"heads": heads, "positions": positions, "batch": batch}
        region = {field: [index] if is_number(index) else index for field, index in some.items()}
        return SiteEdit(self, name, {**region, "start": start, "stop": stop})

    def cut(
        self,
        layer: str,
        queries: Indices | None = None,
        keys: Indices | None = None,
        *,
        heads: Indices | None = None,
        batch: Indices | None = None,
    ) -> None:
        """These queries do not look at these keys (None: all), in the layers whose names fit; what is left of each row
        sums to 1. The attention knock-out of Geva et al. 2023."""
        self.add({"do": "cut", "layer": layer, **pairs(queries, keys, heads, batch)})

    def set_pairs(
        self,
        layer: str,
        queries: Indices | None,
        keys: Indices | None,
        weight: float | Tensor | Sequence[object],
        *,
        heads: Indices | None = None,
        batch: Indices | None = None,
    ) -> None:
        """These queries give these keys so much weight each; the other keys of a row share what is left as they did."""
        self.add({"do": "set_pairs", "layer": layer, "weight": weight, **pairs(queries, keys, heads, batch)})

    def add(self, record: Record) -> None:
        """One edit as data, checked."""
        self._put(check_edit(record, f"edits[{len(self)}]"))

    def _put(self, record: Record, origin: str = "") -> None:
        """An edit that was checked, if this model has a layer or a site that it is meant for."""
        try:
            if "site" in record:
                self.records.append(self.site_editor.open(record))
                return
            self.layer_names.match([record.get("layer", "*")], among=self.layer_names.layers)
        except UnknownName as problem:
            field = "site" if "site" in record else "layer"
            raise UnknownName(f"{origin}edits[{len(self)}].{field}: {problem}") from None
        self.records.append(record)

    def save(self, path: str | Path) -> None:
        """Write the edits as JSON, the larger tensors of sites as safetensors beside it; `regard.edit(model, path)`
        applies them again."""
        save_edits(self.records, Path(path))

    def clear(self) -> None:
        """Take all of them back."""
        self.records.clear()

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"Edits({json.dumps([{name: brief(value) for name, value in it.items()} for it in self.records])})"


class HeadEdit:
    """What can be done to a head. Each takes effect from the next call on."""

    def __init__(self, edits: Edits, layer: str, heads: object) -> None:
        self.edits = edits
        self.layer = layer
        self.heads = heads  # checked with the rest of an edit

    def off(self) -> "HeadEdit":
        """The head gathers nothing: its part before the output projection is zero."""
        return self.scale(0.0)

    def scale(self, factor: float | Tensor) -> "HeadEdit":
        """What the head gathers is multiplied. A tensor may want a gradient."""
        return self._add({"do": "scale", "factor": factor})

    def temperature(self, temperature: float) -> "HeadEdit":
        """Scores divided by a temperature."""
        return self._add({"do": "temperature", "temperature": temperature})

    def set(self, weights: Tensor | np.ndarray | Sequence[object], rows: Indices | None = None) -> "HeadEdit":
        """The weights are what you say, in these rows or in all: (keys), (rows, keys), with heads and batch before.

        Each row sums to 1, or to 0, and gives nothing to keys that the mask forbids. Rows and keys are positions in
        their texts: padding does not count, and a row that is not written yet waits.
        """
        return self._add({"do": "set", "weights": weights, "rows": [rows] if is_number(rows) else rows})

    def __repr__(self) -> str:
        return f"HeadEdit({self.layer}, heads {self.heads}): .off(), .scale(x), .temperature(t) or .set(weights, rows)"

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
                pattern = EDIT_KINDS[record["do"]].apply(pattern, record, layer)
            except ShapeError as problem:
                raise ShapeError(f"{layer}: {problem}") from None
        return self.edits.site_editor.edit_vectors(pattern, layer) if self.edits.site_editor.opened else pattern

    def text_length(self, tokens: int) -> None:
        for name in self.names:
            for record in self.records_for(name):
                self.edits.reach.note_length(record, name, tokens)

    def records(self) -> list[Record] | None:
        if any(self.edits.site_editor.records_for(f"{name}.{part}") for name in self.names for part in VECTORS):
            return None
        first, *others = map(self.records_for, self.names)
        return None if any([*map(id, first)] != [*map(id, other)] for other in others) else first

    def records_for(self, name: str) -> list[Record]:
        records = (record for record in self.edits.records if "site" not in record)
        return [record for record in records if fnmatchcase(name, record.get("layer", "*"))]

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


@contextmanager
def edit(model: nn.Module, edits: str | Path | Sequence[Record] = ()) -> Iterator[Edits]:
    """Change what a model attends to and what passes inside of it, in this block and this thread only: interventions,
    as ablation, steering vectors (activation addition, Turner et al. 2023), attention knock-out (Geva et al. 2023).

    `edits` are earlier ones: a file that was saved, or its contents. A position of a text that is being written may
    still come; one that never did is told in a warning when the block ends.
    """
    layer_names = LayerNames(model)
    edits_here = Edits(model, layer_names)
    is_file = isinstance(edits, str | Path)
    taps: dict[nn.Module, Tap] = {module: Tap() for module in layer_names.around}
    taps |= {
        module: Editor(layer_names.of(module), edits_here) for module in dict.fromkeys(layer_names.layers.values())
    }
    with edits_here.site_editor.stack, attach_taps(taps), active(edits_here.site_editor):
        for record in read_edits(Path(edits)) if is_file else check_edits(edits):
            edits_here._put(record, origin=f"{edits}: " if is_file else "")
        yield edits_here
    if lines := edits_here.reach.unreached():
        warnings.warn("; ".join(lines), stacklevel=3)


def brief(value: object) -> object:
    """A field of an edit as it is shown: a large tensor by its size."""
    if isinstance(value, Tensor) and value.numel() > SHOWN:
        return f"{' x '.join(map(str, value.shape))} numbers"
    return value.tolist() if isinstance(value, Tensor) else value


def pairs(
    queries: Indices | None, keys: Indices | None, heads: Indices | None, batch: Indices | None
) -> dict[str, object]:
    """The fields of an edit of pairs; what is None means all and is left out."""
    some = {"queries": queries, "keys": keys, "heads": heads, "batch": batch}
    return {name: [index] if is_number(index) else index for name, index in some.items() if index is not None}
