"""Weights that somebody set by hand."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.shapes import Values


@dataclass(frozen=True, eq=False)
class Fixed:
    """Rows of some heads that are what somebody said; the other heads stay fused."""

    heads: tuple[int, ...]
    rows: tuple[int, ...]
    weights: Tensor  # (members or 1, heads, rows, keys)
    members: tuple[int, ...] | None = None  # of the batch; None: all

    def part(self, batch: slice, heads: slice) -> "Fixed":
        """The same for some members of the batch and some heads, which are counted anew."""
        members, here = self.members, batch
        if members is not None:
            here = [number for number, member in enumerate(members) if batch.start <= member < batch.stop]
            members = tuple(members[number] - batch.start for number in here)
        weights = self.weights[here] if len(self.weights) > 1 else self.weights
        mine = [number for number, head in enumerate(self.heads) if heads.start <= head < heads.stop]
        return Fixed(tuple(self.heads[number] - heads.start for number in mine), self.rows, weights[:, mine], members)

    def put(self, tile: Tensor, rows: slice, columns: slice) -> Tensor:
        """A tile of weights with these rows in place of what was computed."""
        mine = [number for number, row in enumerate(self.rows) if rows.start <= row < rows.stop]
        lines = [self.rows[number] - rows.start for number in mine]
        return self._replaced(tile, lines, self.weights[:, :, mine, columns])

    def gather(self, gathered: Tensor, value: Values) -> Tensor:
        """What a head gathered, with these rows gathered by the weights that were set."""
        shared = gathered.shape[1] // value.shape[1]
        value = value if self.members is None else value[list(self.members)]
        used = (self.weights != 0).flatten(1, 2).any(1)[:, None, :, None]
        value = torch.where(used, value, 0)  # what stands in a padded place must not matter, even if it is NaN
        mine = value[:, [head // shared for head in self.heads]]
        return self._replaced(gathered, list(self.rows), self.weights.to(value.dtype) @ mine)

    def _replaced(self, whole: Tensor, lines: list[int], rows: Tensor) -> Tensor:
        if not self.heads or not lines or self.members == ():
            return whole
        members = range(len(whole)) if self.members is None else self.members
        where = torch.tensor(members)[:, None, None], torch.tensor(self.heads)[:, None], torch.tensor(lines)
        whole = whole.clone()
        whole[where] = rows.to(whole.dtype)
        return whole
