"""What changed: two models on one text, or one model on two."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Pattern
from regard.attention.tiles import STRIP, span, steps_within
from regard.errors import RegardError, ShapeError
from regard.looking.layer_names import shorten
from regard.pictures.labelled import LabelledNumbers, LabelledResult, numbered


@dataclass(frozen=True, eq=False, repr=False)
class PatternDifference(LabelledResult):
    """Two patterns of the same size: how far apart they are, and where."""

    first: Pattern
    second: Pattern

    def __post_init__(self) -> None:
        if self.first.shape != self.second.shape:
            sizes = " and ".join(
                "{} x {} heads, {} queries x {} keys".format(*pattern.shape) for pattern in (self.first, self.second)
            )
            raise ShapeError(f"rows can be compared where there are as many of everything, got {sizes}")

    def labelled(self) -> LabelledNumbers:
        divergence = self.divergence()
        return LabelledNumbers(divergence, (numbered("batch", len(divergence)), numbered("head", divergence.shape[1])))

    def __repr__(self) -> str:
        shape = "{} x {} heads, {} queries x {} keys".format(*self.first.shape)
        return f"PatternDifference({shape}; divergence at most {float(self.divergence().max()):.3g} bits)"

    def __getitem__(self, region: object) -> Tensor:
        """The other's weights less the one's, of a region as a Pattern takes it: exact, at any length."""
        return self.second[region] - self.first[region]

    def divergence(self) -> Float[Tensor, "batch heads"]:
        """Jensen-Shannon divergence of rows in bits, their mean: 0 where all are equal, 1 where nothing is shared."""
        return self.rows().mean(-1)

    def rows(self) -> Float[Tensor, "batch heads queries"]:
        """The Jensen-Shannon divergence of every row, in bits: Lin 1991."""
        batch, heads, queries, _ = self.first.shape
        divergences = self.first.query.new_zeros(batch, heads, queries, dtype=torch.float64)
        for members, head_slice, rows, p, q in self.tiles():
            total = p + q
            divergences[members, head_slice, rows] += (divergence_terms(p, total) + divergence_terms(q, total)).sum(
                -1, dtype=torch.float64
            ) / 2
        return divergences.clamp(0, 1).to(torch.promote_types(self.first.query.dtype, torch.float32))

    def tiles(self) -> Iterator[tuple[slice, slice, slice, Tensor, Tensor]]:
        """Members, heads and rows, and the weights of both there, some keys at a time."""
        _, _, queries, keys = self.first.shape
        grouped = min((self.first, self.second), key=lambda pattern: pattern.key.shape[1])  # the larger groups
        patterns = [replace(pattern, row_statistics=pattern.statistics) for pattern in (self.first, self.second)]
        for members, heads, row_slices in grouped.blocks(STRIP):
            parts = [pattern.narrow(members, heads) for pattern in patterns]
            for rows in row_slices:
                spans = [slice(0, keys) if part.fixed else span(part.allowed, rows, queries, keys) for part in parts]
                both = slice(min(run.start for run in spans), max(run.stop for run in spans))
                for columns in steps_within(both, STRIP):
                    yield members, heads, rows, parts[0].tile(rows, columns), parts[1].tile(rows, columns)


def select_heads(pattern: Pattern, heads: Sequence[int]) -> Pattern:
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
        row_statistics=pattern.row_statistics and tuple(part[:, chosen] for part in pattern.row_statistics),
    )


def divergence_terms(p: Tensor, total: Tensor) -> Tensor:
    """p log2(p / m) with m half of `total`, 0 where p is."""
    return torch.where(p > 0, p * torch.log2(2 * p / torch.where(total > 0, total, 1)), 0)


def differences(first: Mapping[str, Pattern], second: Mapping[str, Pattern]) -> dict[str, PatternDifference]:
    """What changed, by layer, of two that were watched: `differences(seen, again)["encoder.0.self"].divergence()`."""
    require_same_layers(first, second)
    result: dict[str, PatternDifference] = {}
    for layer in first:
        try:
            result[layer] = PatternDifference(first[layer], second[layer])
        except ShapeError as problem:
            raise ShapeError(f"{layer}: {problem}") from None
    return result


def require_same_layers(first: Mapping[str, Pattern], second: Mapping[str, Pattern]) -> None:
    """Raise unless both were watched in the same layers."""
    if unshared := [name for name in (*first, *second) if (name in first) != (name in second)]:
        raise RegardError(f"layers that both have expected; one has {shorten(unshared)} and the other has not")
