"""Edits of sites: how they are said, and the tap that does them."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.taps import tokens_asked
from regard.errors import RegardError, ShapeError
from regard.looking.activations.listing import Sites, sites
from regard.looking.activations.site_edits import edit_site
from regard.looking.activations.site_hooks import open_sites
from regard.looking.activations.where import where
from regard.looking.conditions import has_conditions, is_edited
from regard.looking.edit_fields import Record
from regard.looking.layer_names import attach, detach, reads_source
from regard.looking.set_weights import is_cross_attention

if TYPE_CHECKING:
    from regard.looking.edit import Edits

VECTORS = ("query", "key", "value")  # parts of patterns


class SiteEdit:
    """What can be done at a site. Each takes effect from the next call on."""

    def __init__(self, edits: "Edits", site: str, region: dict[str, Any]) -> None:
        self.edits = edits
        self.site = site
        self.region: Record = {name: some for name, some in region.items() if some is not None}

    def set(self, value: float | Tensor | Sequence[object]) -> "SiteEdit":
        """The numbers are what you say: (width), (positions, width), with heads and batch before. A tensor may want a
        gradient. Rows are those of the named positions, or of the text from its first token on."""
        return self._add({"do": "replace", "value": value})

    def zero(self) -> "SiteEdit":
        """Zero ablation."""
        return self._add({"do": "zero"})

    def add(self, value: float | Tensor | Sequence[object], coefficient: float = 1.0) -> "SiteEdit":
        """A steering vector: added, so many times."""
        return self._add({"do": "add", "value": value, "coefficient": coefficient})

    def scale(self, coefficient: float) -> "SiteEdit":
        """The numbers are multiplied."""
        return self._add({"do": "multiply", "coefficient": coefficient})

    def mean(self, of: Tensor | None = None) -> "SiteEdit":
        """Mean ablation: the mean over the batch at each position, or the mean vector of what was watched elsewhere."""
        if of is None:
            return self._add({"do": "mean"})
        return self.set(of.detach().mean((0, 1)) if of.ndim == 3 else of.detach().mean((0, 2))[:, None])

    def resample(self, seed: int = 0) -> "SiteEdit":
        """Resample ablation: what another text of the batch has there."""
        return self._add({"do": "resample", "seed": seed})

    def project_out(self, directions: Tensor | Sequence[object]) -> "SiteEdit":
        """Without what lies along a direction (width), or along several (directions, width)."""
        return self._add({"do": "project_out", "directions": directions})

    def __repr__(self) -> str:
        region = "".join(f", {name} {some}" for name, some in self.region.items())
        todo = ".set(x), .zero(), .add(x), .scale(c), .mean(), .resample() or .project_out(x)"
        return f"SiteEdit({self.site}{region}): {todo}"

    def _add(self, record: Record) -> "SiteEdit":
        self.edits.add({"site": self.site, **self.region, **record})
        return self


class SiteEditor(Tap):
    """Applies the edits that are meant for sites. Hooks are there only where an edit was asked for."""

    def __init__(self, model: nn.Module, edits: "Edits") -> None:
        self.model = model
        self.edits = edits
        self.opened: set[str] = set()
        self.stack: ExitStack = ExitStack()
        self._sites: Sites | None = None

    @property
    def sites(self) -> Sites:
        self._sites = sites(self.model) if self._sites is None else self._sites
        return self._sites

    def open(self, record: Record) -> Record:
        """Be at work at the sites of an edit; the edit with our names."""
        record = {**record, "site": self.sites.full_name(record["site"])}
        names = self.sites.match(record["site"])
        if patterns := [name for name in names if self.sites[name].view == "pattern"]:
            raise RegardError(f"{patterns[0]}: a pattern is edited by edit.head(…), edit.cut(…) and edit.hide(…)")
        if has_conditions(record) and not self.asks_tokens:
            self.asks_tokens = True
            self.stack.callback(forget_tokens)
        if not self.opened:
            for module in self.sites.parts.tapped():
                attach(module, self)
                self.stack.callback(detach, module, self)
        new = [self.sites[name] for name in names if name not in self.opened]
        self.stack.enter_context(open_sites(self.sites.parts, self, new))
        self.opened.update(names)
        return record

    def wants(self, site: str) -> bool:
        return site in self.opened and bool(self.records_for(site))

    def change(self, site: str, x: Tensor) -> Tensor:
        if not (records := self.records_for(site)):
            return x
        positions = where.positions(x.shape[-2], x.device)
        return self.apply(site, x, records, positions)

    def apply(self, site: str, x: Tensor, records: list[Record], positions: Tensor) -> Tensor:
        for record in records:
            tokens = int(positions.max()) + 1 if positions.numel() else 0
            if reads_source(site) and max(record.get("positions") or [0]) >= tokens:
                raise ShapeError(f"{site}: there is no token at position {max(record['positions'])}: {tokens} of them")
            self.edits.reach.note_length(record, site, tokens)
            chosen = self.by_tokens(site, record, positions) if has_conditions(record) else None
            try:
                x = edit_site(x, record, positions, chosen)
            except ShapeError as problem:
                raise ShapeError(f"{site}: {problem}") from None
        return x

    def by_tokens(self, site: str, record: Record, positions: Tensor) -> Tensor:
        """Where an edit that starts or stops at tokens is at work: (batch, length)."""
        layer, _, part = site.rpartition(".")
        if part in ("key", "value") and is_cross_attention(layer):
            raise RegardError(
                f"{site}: keys and values of a source: an edit that starts and stops by position expected"
            )
        edited = is_edited(where.tokens(), record)
        self.edits.reach.note_start(record, has_started=bool(edited.any()))
        within = (positions >= 0) & (positions < edited.shape[1])
        index = positions.clamp(0, max(edited.shape[1] - 1, 0)).expand(len(edited), -1)
        return edited.gather(1, index) & within

    def records_for(self, site: str) -> list[Record]:
        return [record for record in self.edits.records if fnmatchcase(site, record.get("site", ""))]

    def edit_vectors(self, pattern: Pattern, layer: str) -> Pattern:
        """A pattern with queries, keys or values edited."""
        for part in VECTORS:
            if records := self.records_for(f"{layer}.{part}"):
                x = pattern.values if part == "value" else getattr(pattern, part)
                positions = query_positions(pattern, layer) if part == "query" else pattern.positions
                edited = self.apply(f"{layer}.{part}", x, records, positions)
                pattern = replace(pattern, row_statistics=None, **{part: edited})
        return pattern


def forget_tokens() -> None:
    """The tokens of texts that were written here are needed no more, unless an edit around this one asks for them."""
    if not tokens_asked():
        where.history.forget()


def query_positions(pattern: Pattern, layer: str) -> Tensor:
    """Where queries stand in their texts: (batch or 1, queries)."""
    queries, keys = pattern.shape[2:]
    if pattern.query_positions is not None:
        return pattern.query_positions
    if is_cross_attention(layer):
        return torch.arange(queries, device=pattern.query.device)[None]
    return pattern.positions[:, keys - queries :]
