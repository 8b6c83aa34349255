"""How much of every word reaches a token, through all layers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Pattern
from regard.attention.regions import numbers, refuse
from regard.attention.tiles import pieces, span
from regard.errors import RegardError, ShapeError
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis, numbered

ROWS = 256  # queries whose weights are there at a time

AttentionKind = Literal["self", "cross"]


@dataclass(frozen=True, eq=False, repr=False)
class Rollout(LabelledResult):
    """Shares of 1: of the words on a token's own side, and of those of the source if there is one."""

    own: Float[Tensor, "batch some words"]
    source: Float[Tensor, "batch some source_words"] | None = None

    def labelled(self) -> LabelledNumbers:
        sides = {"own": self.own} if self.source is None else {"own": self.own, "source": self.source}
        words = tuple(f"{side} {word}" for side, shares in sides.items() for word in range(shares.shape[2]))
        counted = numbered("batch", len(self.own)), numbered("query", self.own.shape[1])
        return LabelledNumbers(torch.cat([*sides.values()], -1), (*counted, NamedAxis("word", words)))

    def __repr__(self) -> str:
        batch, queries, words = self.own.shape
        source = "" if self.source is None else f" and {self.source.shape[2]} of the source"
        return f"Rollout({batch} x {queries} tokens, shares of {words} words{source})"


def rollout(seen: Mapping[str, Pattern], queries: Sequence[int] | None = None, *, residual: float = 0.5) -> Rollout:
    """Attention of all layers multiplied: how much of each word is in the last vectors: Abnar and Zuidema 2020, 3.

    Each layer takes a share `residual` of a vector from the vector itself and the rest by the mean of its heads; a
    decoder does so twice, and what it takes from the source goes on through the encoder. For all queries, or for some,
    which costs the less the fewer they are: layers are gone through from the last to the first.
    """
    if not 0 <= residual <= 1:
        raise RegardError(f"a share from 0 to 1 stays with a vector, got {residual}")
    side, length, batch, like = last_side(seen)
    chosen = numbers(None if queries is None else list(queries), length, "query")
    refuse(like.dtype, (batch, len(chosen), length), "ask for some queries, or watch one text")
    own = torch.eye(length, dtype=torch.promote_types(like.dtype, torch.float32), device=like.device)[chosen]
    own, source = own.expand(batch, -1, -1), None
    for pattern, kind in layers_downwards(seen, side):
        if kind == "self":
            own, source = through_layer(pattern, own, residual), source
            continue
        left, taken = split_shares(pattern, own, residual)
        own, source = left, taken if source is None else source + taken
    if source is not None:
        for pattern, _ in layers_downwards(seen, "encoder"):
            source = through_layer(pattern, source, residual)
    return Rollout(own, source)


def last_side(seen: Mapping[str, Pattern]) -> tuple[str, int, int, Tensor]:
    """The side whose last vectors are asked about, how many there are of them, and a tensor like those."""
    for side in ("decoder", "encoder"):
        for pattern, kind in layers_downwards(seen, side):
            if kind == "self":
                batch, _, length, _ = pattern.shape
                return side, length, batch, pattern.query
    raise RegardError("layers named encoder.0.self or decoder.0.self expected: regard.watch(model) sees them")


def layers_downwards(seen: Mapping[str, Pattern], side: str) -> Iterator[tuple[Pattern, AttentionKind]]:
    """The layers of a side, from the last to the first; in each the look at the source comes last."""
    for name, reason in getattr(seen, "left_out", {}).items():
        if is_layer(name, side):
            raise RegardError(f"all layers of the {side} expected, but {name} cannot be watched: {reason}")
    layers = sorted({int(name.split(".")[1]) for name in seen if is_layer(name, side)}, reverse=True)
    if layers and layers != [*reversed(range(layers[0] + 1))]:
        raise RegardError(f"all layers of the {side} expected, only {sorted(layers)} were watched")
    for layer in layers:
        for kind in ("cross", "self"):
            if f"{side}.{layer}.{kind}" in seen:
                yield seen[f"{side}.{layer}.{kind}"], kind


def is_layer(name: str, side: str) -> bool:
    parts = name.split(".")
    return len(parts) == 3 and parts[0] == side and parts[1].isdecimal() and parts[2] in ("self", "cross")


def through_layer(pattern: Pattern, shares: Tensor, residual: float) -> Tensor:
    """Shares of what a layer put out become shares of what went in."""
    _, _, queries, keys = pattern.shape
    if queries != keys:
        raise ShapeError(f"a look of {queries} tokens at {keys} is a step of many: watch a pass over the whole text")
    left, taken = split_shares(pattern, shares, residual)
    return left + taken


def split_shares(pattern: Pattern, shares: Tensor, residual: float) -> tuple[Tensor, Tensor]:
    """What stays with the vectors, and what was taken by looking. Whoever sees nothing keeps all."""
    batch, _, queries, keys = pattern.shape
    left, taken = torch.empty_like(shares), shares.new_zeros(batch, shares.shape[1], keys)
    for rows in pieces(queries, ROWS):
        columns = span(None if pattern.fixed else pattern.allowed, rows, queries, keys)
        weights = (1 - residual) * pattern[:, :, rows, columns].mean(1)
        row_shares = shares[:, :, rows]
        left[:, :, rows] = row_shares * (1 - weights.sum(-1))[:, None]
        taken[:, :, columns] += row_shares @ weights
    return left, taken
