"""What changed: two models on one text, or one model on two."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Pattern
from regard.attention.tiles import STRIP, span, within
from regard.errors import RegardError, ShapeError
from regard.looking.places import shortened


@dataclass(frozen=True, eq=False)
class Difference:
    """Two patterns of the same size: how far apart they are, and where."""

    one: Pattern
    other: Pattern

    def __post_init__(self) -> None:
        if self.one.shape != self.other.shape:
            sizes = " and ".join(
                "{} x {} heads, {} queries x {} keys".format(*pattern.shape) for pattern in (self.one, self.other)
            )
            raise ShapeError(f"rows can be compared where there are as many of everything, got {sizes}")

    def __getitem__(self, region: Any) -> Tensor:
        """The other's weights less the one's, of a region as a Pattern takes it: exact, at any length."""
        return self.other[region] - self.one[region]

    def divergence(self) -> Float[Tensor, "batch heads"]:
        """Jensen-Shannon divergence of rows in bits, their mean: 0 where all are equal, 1 where nothing is shared."""
        return self.rows().mean(-1)

    def rows(self) -> Float[Tensor, "batch heads queries"]:
        """The Jensen-Shannon divergence of every row, in bits: Lin 1991."""
        batch, heads, queries, _ = self.one.shape
        found = self.one.query.new_zeros(batch, heads, queries, dtype=torch.float64)
        for members, some, rows, one, other in self.tiles():
            middle = one + other
            found[members, some, rows] += (above(one, middle) + above(other, middle)).sum(-1, dtype=torch.float64) / 2
        return found.clamp(0, 1).to(torch.promote_types(self.one.query.dtype, torch.float32))

    def tiles(self) -> Iterator[tuple[slice, slice, slice, Tensor, Tensor]]:
        """Members, heads and rows, and the weights of both there, some keys at a time."""
        _, _, queries, keys = self.one.shape
        shares = min((self.one, self.other), key=lambda pattern: pattern.key.shape[1])  # the larger groups
        known = [replace(pattern, summary=pattern.known) for pattern in (self.one, self.other)]
        for members, heads, lines in shares.blocks(STRIP):
            parts = [pattern.narrow(members, heads) for pattern in known]
            for rows in lines:
                spans = [slice(0, keys) if p.fixed else span(p.allowed, rows, queries, keys) for p in parts]
                both = slice(min(run.start for run in spans), max(run.stop for run in spans))
                for columns in within(both, STRIP):
                    yield members, heads, rows, parts[0].tile(rows, columns), parts[1].tile(rows, columns)


def of_heads(pattern: Pattern, heads: Sequence[int]) -> Pattern:
    """The same pattern for some of its heads, in this order; every head gets keys of its own. Not for edited ones."""
    if list(heads) == list(range(pattern.shape[1])):
        return pattern
    chosen = torch.tensor(heads, dtype=torch.long, device=pattern.query.device)
    return replace(
        pattern,
        query=pattern.query[:, chosen],
        key=pattern.key.repeat_interleave(pattern.shape[1] // pattern.key.shape[1], dim=1)[:, chosen],
        score=pattern.score.heads(chosen),
        bias=pattern.bias and pattern.bias.heads(chosen),
        value=None,
        summary=pattern.summary and tuple(part[:, chosen] for part in pattern.summary),
    )


def above(one: Tensor, middle: Tensor) -> Tensor:
    """p log2(p / m) with m half of `middle`, 0 where p is."""
    return torch.where(one > 0, one * torch.log2(2 * one / torch.where(middle > 0, middle, 1)), 0)


def differences(one: Mapping[str, Pattern], other: Mapping[str, Pattern]) -> dict[str, Difference]:
    """What changed, by place, of two that were watched: `differences(seen, again)["encoder.0.self"].divergence()`."""
    same_places(one, other)
    found: dict[str, Difference] = {}
    for place in one:
        try:
            found[place] = Difference(one[place], other[place])
        except ShapeError as problem:
            raise ShapeError(f"{place}: {problem}") from None
    return found


def same_places(one: Mapping[str, Pattern], other: Mapping[str, Pattern]) -> None:
    """Raise unless both were watched in the same places."""
    if alone := [name for name in (*one, *other) if (name in one) != (name in other)]:
        raise RegardError(f"places that both have expected; one has {shortened(alone)} and the other has not")
