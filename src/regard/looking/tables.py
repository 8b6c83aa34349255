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
from regard.layers import NoNorm, TransformerBlock
from regard.looking.composition import HeadWeights
from regard.looking.unembed import Unembedding

ROWS = 1 << 22  # scores that are held at once
TableKind = Literal["qk", "ov"]


class TopEntries(NamedTuple):
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

    left: Float[Tensor, "tokens head_width"]
    right: Float[Tensor, "words head_width"]

    @classmethod
    def of(cls, model: nn.Module, layer: str, head: int, kind: TableKind) -> "HeadTable":
        """Of one head of the stack that scores words: `layer` as in "decoder.3.self"."""
        unembedding = Unembedding(model)
        block = lookup({f"{name}.self": block for name, block in unembedding.blocks.items()}, layer, "layer")
        weights = HeadWeights.of(block)
        if not 0 <= head < len(weights.query):
            raise RegardError(f"{layer} has heads 0 to {len(weights.query) - 1}, got {head}")
        words = _stream(unembedding, block)
        if kind == "qk":
            return cls((words @ weights.query[head].T.float()) * weights.scale, words @ weights.key[head].T.float())
        if kind == "ov":
            if unembedding.output.transform is not None:
                raise RegardError("OV in words needs an output that is linear: this model has a dense layer before it")
            read = unembedding.output.weight.detach() * unembedding.output.scale
            read = read if unembedding.gain is None else read * unembedding.gain
            return cls(words @ weights.value[head].T.float(), read @ weights.output[head].float())
        raise RegardError(f"a head has a table 'qk' and a table 'ov', got {kind!r}")

    def top(self, tokens: Sequence[int] | Tensor | None = None, k: int = 10) -> TopEntries:
        """The k largest entries of the rows of these tokens, or of all, largest first."""
        rows = torch.arange(len(self.left)) if tokens is None else torch.as_tensor(tokens, dtype=torch.long)
        parts = [grid.topk(min(k, len(self.right))) for grid in self._rows(rows)]
        return TopEntries(rows, torch.cat([part.values for part in parts]), torch.cat([part.indices for part in parts]))

    def largest(self, k: int = 20) -> list[tuple[int, int, float]]:
        """The k largest entries of the whole table: row token, column token, score."""
        best = torch.empty(0)
        where = torch.empty(0, dtype=torch.long)
        start = 0
        for grid in self._rows(torch.arange(len(self.left))):
            best_of_grid = grid.flatten().topk(min(k, grid.numel()))
            scores, positions = torch.cat([best, best_of_grid.values]), torch.cat([where, best_of_grid.indices + start])
            best, index = scores.topk(min(k, len(scores)))
            where = positions[index]
            start += grid.numel()
        return [
            (position // len(self.right), position % len(self.right), score)
            for position, score in zip(where.tolist(), best.tolist(), strict=True)
        ]

    def copying(self, sample: int = 512, *, seed: int = 1) -> float:
        """The mean rank of a token in its own row, from 0 (by chance) to 1 (always first); -1: always last.

        Near 1 in OV the head copies what it looks at; near 1 in QK it looks for the same token.
        """
        if len(self.left) != len(self.right):
            raise RegardError("rows and columns are different tokens")
        generator = torch.Generator().manual_seed(seed)
        rows = torch.randperm(len(self.left), generator=generator)[:sample]
        below = []
        for tokens, grid in zip(rows.split(self._step), self._rows(rows), strict=True):
            own = grid.gather(1, tokens[:, None])
            below.append((grid < own).double().mean(1) - (grid > own).double().mean(1))
        return float(torch.cat(below).mean()) * len(self.right) / max(1, len(self.right) - 1)

    @property
    def _step(self) -> int:
        return max(1, ROWS // len(self.right))

    def _rows(self, rows: Tensor) -> Iterator[Tensor]:
        for tokens in rows.split(self._step):
            yield self.left[tokens] @ self.right.T


@torch.no_grad()
def _stream(unembedding: Unembedding, block: TransformerBlock) -> Tensor:
    """Every token as a block reads it when nothing but its embedding is in the stream; a norm's gain is elsewhere."""
    embedding = unembedding.embedding
    x = embedding.table.weight.detach() * embedding.scale
    x = x if embedding.norm is None else embedding.norm(x)
    x = x if embedding.widen is None else embedding.widen(x)
    if not block.pre_norm or isinstance(block.self_norm, NoNorm):
        return x
    x = x - x.mean(-1, keepdim=True) if isinstance(block.self_norm, nn.LayerNorm) else x
    return x / x.square().mean(-1, keepdim=True).add(1e-6).sqrt()
