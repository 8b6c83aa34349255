"""Weights that somebody set by hand."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.errors import ShapeError, expect
from regard.shapes import Values

ROUNDED = 5e-5  # as far as four decimals are off


@dataclass(frozen=True, eq=False)
class FixedWeights:
    """Rows of some heads that are what somebody said; the other heads stay fused."""

    heads: tuple[int, ...]
    rows: tuple[int, ...]
    weights: Tensor  # (members or 1, heads, rows, keys)
    members: tuple[int, ...] | None = None  # of the batch; None: all

    def covers(self, other: "FixedWeights") -> bool:
        """Whether nothing is left of other rows that were set before these."""
        members = self.members is None or (other.members is not None and {*other.members} <= {*self.members})
        return members and {*other.heads} <= {*self.heads} and {*other.rows} <= {*self.rows}

    def part(self, batch: slice, heads: slice) -> "FixedWeights":
        """The same for some members of the batch and some heads, which are counted anew."""
        members, here = self.members, batch
        if members is not None:
            here = [number for number, member in enumerate(members) if batch.start <= member < batch.stop]
            members = tuple(members[number] - batch.start for number in here)
        weights = self.weights[here] if len(self.weights) > 1 else self.weights
        chosen = [number for number, head in enumerate(self.heads) if heads.start <= head < heads.stop]
        return FixedWeights(
            tuple(self.heads[number] - heads.start for number in chosen), self.rows, weights[:, chosen], members
        )

    def put_rows(self, tile: Tensor, rows: slice, columns: slice) -> Tensor:
        """A tile of weights with these rows in place of what was computed."""
        chosen = [number for number, row in enumerate(self.rows) if rows.start <= row < rows.stop]
        lines = [self.rows[number] - rows.start for number in chosen]
        return self._with_rows(tile, lines, self.weights[:, :, chosen, columns])

    def output_rows(self, output: Tensor, value: Values) -> Tensor:
        """What a head gathered, with these rows gathered by the weights that were set."""
        shared = output.shape[1] // value.shape[1]
        value = value if self.members is None else value[list(self.members)]
        used = (self.weights != 0).flatten(1, 2).any(1)[:, None, :, None]
        value = torch.where(used, value, 0)  # what stands in a padded position must not matter, even if it is NaN
        head_values = value[:, [head // shared for head in self.heads]]
        return self._with_rows(output, list(self.rows), self.weights.to(value.dtype) @ head_values)

    def _with_rows(self, whole: Tensor, lines: list[int], rows: Tensor) -> Tensor:
        if not self.heads or not lines or self.members == ():
            return whole
        members = range(len(whole)) if self.members is None else self.members
        where = torch.tensor(members)[:, None, None], torch.tensor(self.heads)[:, None], torch.tensor(lines)
        whole = whole.clone()
        whole[where] = rows.to(whole.dtype)
        return whole


def rows_of(weights: Tensor, sizes: tuple[int, int, int, int], sums: tuple[float, float]) -> Tensor:
    """Weights to be set, (batch or 1, heads, rows, keys), of rows that weights can be.

    They are told for (keys), (rows, keys), (heads, rows, keys) or all; there is one for every key.
    """
    batch, heads, rows, keys = sizes
    shape = (*(1,) * (4 - weights.ndim), *weights.shape)
    fits = len(shape) == 4 and shape[1] in (1, heads) and shape[2] in (1, rows) and shape[3] == keys
    if not fits or not weights.ndim:
        wanted = f"(batch or 1, {heads} heads, {rows} rows, {keys} keys)"
        raise ShapeError(f"weights that fit {wanted} expected, got {tuple(weights.shape)}")
    expect("weights", "batch members", shape[0], batch, 1)
    check_rows(weights.detach(), sums)
    return weights.expand(shape[0], heads, rows, keys)


def check_rows(weights: Tensor, sums: tuple[float, float]) -> None:
    """Raise ShapeError unless all are finite, and each row adds up to what a row of this kind does, or to 0.

    Numbers that were rounded to four decimals, or to sixteen bits, are near enough.
    """
    coarse = torch.finfo(weights.dtype).eps if weights.is_floating_point() else 0.0
    weights = weights.to(torch.promote_types(weights.dtype, torch.float32))
    if not (finite := weights.isfinite()).all():
        raise ShapeError(f"weights: finite numbers expected, got {weights[~finite][0].item()}")
    least, most = sums
    if least == -torch.inf:
        return
    if (weights < 0).any():
        raise ShapeError(f"weights of 0 or more expected, got {weights.min().item():g}")
    totals, near = weights.sum(-1), (ROUNDED * (weights > 0).sum(-1)).clamp(min=max(2 * ROUNDED, coarse))
    wrong = (totals != 0) & ((totals < least - near) | (totals > most + near))
    if wrong.any():
        wanted = "1, or to 0" if least == most else "1 at most"
        raise ShapeError(f"each row of weights sums to {wanted}, got one that sums to {totals[wrong][0].item():g}")
