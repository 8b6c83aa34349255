"""The circuits of a head as tables of tokens: who looks for whom (QK), what it then promotes (OV). Elhage et al. 2021.

Only the best entries of the rows that are asked for are kept; the table of all tokens by all tokens is never made.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import RegardError, lookup
from regard.layers import Block
from regard.looking.composition import HeadWeights
from regard.looking.unembed import Unembed

ROWS = 1 << 22  # scores that are held at once
Kind = Literal["qk", "ov"]


class Top(NamedTuple):
    """The best entries of some rows of a table: (rows, k)."""

    tokens: Int[Tensor, "rows"]
    scores: Float[Tensor, "rows k"]
    words: Int[Tensor, "rows k"]


@dataclass(frozen=True, eq=False)
class HeadTable:
    """A table of tokens by tokens, by its two factors: a row is `left[token] @ right.T`.

    QK: the score of a key token for a query token, both read straight from their embeddings. OV: how much a token that
    is looked at promotes each word. Both are the direct path: what other layers add, and positions, are left out.
    """

    left: Float[Tensor, "tokens inner"]
    right: Float[Tensor, "words inner"]

    @classmethod
    def of(cls, model: nn.Module, place: str, head: int, kind: Kind) -> "HeadTable":
        """Of one head of the stack that scores words: `place` as in "decoder.3.self"."""
        last = Unembed(model)
        block = lookup({f"{name}.self": block for name, block in last.blocks.items()}, place, "place")
        weights = HeadWeights.of(block)
        if not 0 <= head < len(weights.query):
            raise RegardError(f"{place} has heads 0 to {len(weights.query) - 1}, got {head}")
        words = _stream(last, block)
        if kind == "qk":
            return cls((words @ weights.query[head].T.float()) * weights.scale, words @ weights.key[head].T.float())
        if kind == "ov":
            if last.output.transform is not None:
                raise RegardError("OV in words needs an output that is linear: this model has a dense layer before it")
            read = last.output.weight.detach() * last.output.scale
            read = read if last.gain is None else read * last.gain
            return cls(words @ weights.value[head].T.float(), read @ weights.output[head].float())
        raise RegardError(f"a head has a table 'qk' and a table 'ov', got {kind!r}")

    def top(self, tokens: Sequence[int] | Tensor | None = None, k: int = 10) -> Top:
        """The k largest entries of the rows of these tokens, or of all, largest first."""
        rows = torch.arange(len(self.left)) if tokens is None else torch.as_tensor(tokens, dtype=torch.long)
        parts = [grid.topk(min(k, len(self.right))) for grid in self._rows(rows)]
        return Top(rows, torch.cat([part.values for part in parts]), torch.cat([part.indices for part in parts]))

    def largest(self, k: int = 20) -> list[tuple[int, int, float]]:
        """The k largest entries of the whole table: row token, column token, score."""
        best = torch.empty(0)
        where = torch.empty(0, dtype=torch.long)
        start = 0
        for grid in self._rows(torch.arange(len(self.left))):
            found = grid.flatten().topk(min(k, grid.numel()))
            scores, places = torch.cat([best, found.values]), torch.cat([where, found.indices + start])
            best, index = scores.topk(min(k, len(scores)))
            where = places[index]
            start += grid.numel()
        return [
            (place // len(self.right), place % len(self.right), score)
            for place, score in zip(where.tolist(), best.tolist(), strict=True)
        ]

    def copying(self, sample: int = 512, *, seed: int = 1) -> float:
        """The mean rank of a token in its own row, from 0 (by chance) to 1 (always first); -1: always last.

        Near 1 in OV the head copies what it looks at; near 1 in QK it looks for the same token.
        """
        if len(self.left) != len(self.right):
            raise RegardError("rows and columns are different tokens")
        lot = torch.Generator().manual_seed(seed)
        rows = torch.randperm(len(self.left), generator=lot)[:sample]
        below = []
        for some, grid in zip(rows.split(self._step), self._rows(rows), strict=True):
            own = grid.gather(1, some[:, None])
            below.append((grid < own).double().mean(1) - (grid > own).double().mean(1))
        return float(torch.cat(below).mean()) * len(self.right) / max(1, len(self.right) - 1)

    @property
    def _step(self) -> int:
        return max(1, ROWS // len(self.right))

    def _rows(self, rows: Tensor) -> Iterator[Tensor]:
        for some in rows.split(self._step):
            yield self.left[some] @ self.right.T


@torch.no_grad()
def _stream(last: Unembed, block: Block) -> Tensor:
    """Every token as a block reads it when nothing but its embedding is in the stream; a norm's gain is elsewhere."""
    words = last.words
    x = words.table.weight.detach() * words.scale
    x = x if words.norm is None else words.norm(x)
    x = x if words.widen is None else words.widen(x)
    if not block.first:
        return x
    x = x - x.mean(-1, keepdim=True) if isinstance(block.self_norm, nn.LayerNorm) else x
    return x / x.square().mean(-1, keepdim=True).add(1e-6).sqrt()
