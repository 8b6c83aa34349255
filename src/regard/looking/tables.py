"""The circuits of a head as tables of tokens: who looks for whom (QK), what it then promotes (OV). Elhage et al. 2021.

Only the best entries of the rows that are asked for are kept; the table of all tokens by all tokens is never made.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.errors import RegardError, lookup
from regard.layers import NoNorm, TransformerBlock
from regard.looking.composition import COMPARES_OTHERWISE, HeadWeights
from regard.looking.token_labels import Speller, spell
from regard.looking.unembed import Unembedding
from regard.pictures.labelled import LabelledNumbers, LabelledResult, numbered, refuse_large

ROWS = 1 << 22  # scores that are held at once
TableKind = Literal["qk", "ov"]


@dataclass(frozen=True, eq=False, repr=False)
class TopEntries(LabelledResult):
    """The best entries of some rows of a table: (rows, k)."""

    tokens: Int[Tensor, "rows"]
    scores: Float[Tensor, "rows k"]
    words: Int[Tensor, "rows k"]
    tokenizer: Speller | None = None

    def labelled(self) -> LabelledNumbers:
        rows = spelled(self.tokenizer, self.tokens.tolist())
        return LabelledNumbers(
            self.scores, (numbered("token", len(rows), rows), numbered("rank", self.scores.shape[1]))
        )

    def lines(self) -> list[str]:
        """A line for each row: its token, and the words that are best for it."""
        return entry_lines(spelled(self.tokenizer, self.tokens.tolist()), self.words, self.scores, self.tokenizer)

    def __repr__(self) -> str:
        return "\n".join(["TopEntries(", *(f"  {line}" for line in self.lines()), ")"])


class SingularDirection(NamedTuple):
    """A singular value of a table, and a number for every token on both of its sides."""

    value: float
    left: Float[Tensor, "tokens"]
    right: Float[Tensor, "words"]


@dataclass(frozen=True, eq=False, repr=False)
class SingularDirections(LabelledResult):
    """The largest singular values of a table of tokens, with their vectors: what a head is mostly about."""

    values: Float[Tensor, "k"]
    left: Float[Tensor, "tokens k"]
    right: Float[Tensor, "words k"]
    tokenizer: Speller | None = None

    def __getitem__(self, number: int) -> SingularDirection:
        return SingularDirection(float(self.values[number]), self.left[:, number], self.right[:, number])

    def top(self, k: int = 5) -> list[tuple[float, tuple[str, ...], tuple[str, ...]]]:
        """For each direction its value, and the tokens that it points to most on either side."""
        best = [side.abs().topk(min(k, len(side)), dim=0).indices.T.tolist() for side in (self.left, self.right)]
        rows = zip(self.values.tolist(), *best, strict=True)
        return [(value, spelled(self.tokenizer, left), spelled(self.tokenizer, right)) for value, left, right in rows]

    def labelled(self) -> LabelledNumbers:
        return LabelledNumbers(self.values, (numbered("direction", len(self.values)),))

    def __repr__(self) -> str:
        lines = [f"  {value:.4g}  {', '.join(left)} -> {', '.join(right)}" for value, left, right in self.top(4)]
        return "\n".join(["SingularDirections(", *lines, ")"])


@dataclass(frozen=True, eq=False, repr=False)
class HeadTable(LabelledResult):
    """A table of tokens by tokens, by its two factors: a row is `left[token] @ right.T`.

    QK: the score of a key token for a query token, both read straight from their embeddings. OV: how much a token that
    is looked at promotes each word. Both are the direct path: what other layers add, and positions, are left out.
    """

    left: Float[Tensor, "tokens head_width"]
    right: Float[Tensor, "words head_width"]
    name: str = "head"
    tokenizer: Speller | None = None

    @classmethod
    def of(
        cls, model: nn.Module, layer: str, head: int, kind: TableKind, *, tokenizer: Speller | None = None
    ) -> "HeadTable":
        """Of one head of the stack that scores words: `layer` as in "decoder.3.self". Live models of transformers are
        read, too."""
        unembedding = Unembedding(model)
        block = lookup({f"{name}.self": block for name, block in unembedding.blocks.items()}, layer, "layer")
        weights = HeadWeights.of(block)
        if not 0 <= head < len(weights.query):
            raise RegardError(f"{layer} has heads 0 to {len(weights.query) - 1}, got {head}")
        words = _stream(unembedding, block)
        name = f"{kind} of {layer} head {head}"
        if kind == "qk":
            if not weights.has_scores:
                raise RegardError(COMPARES_OTHERWISE)
            left = (words @ weights.query[head].T.float()) * weights.scale
            return cls(left, words @ weights.key[head].T.float(), name, tokenizer)
        if kind == "ov":
            if unembedding.output.transform is not None:
                raise RegardError("OV in words needs an output that is linear: this model has a dense layer before it")
            read = unembedding.output.weight.detach().float() * unembedding.output.scale
            read = read if unembedding.gain is None else read * unembedding.gain.float()
            return cls(words @ weights.value[head].T.float(), read @ weights.output[head].float(), name, tokenizer)
        raise RegardError(f"a head has a table 'qk' and a table 'ov', got {kind!r}")

    def top(self, tokens: Sequence[int] | Tensor | None = None, k: int = 10) -> TopEntries:
        """The k largest entries of the rows of these tokens, or of all, largest first."""
        rows = torch.arange(len(self.left)) if tokens is None else torch.as_tensor(tokens, dtype=torch.long)
        parts = [grid.topk(min(k, len(self.right))) for grid in self._rows(rows)]
        scores, words = (torch.cat([part[side] for part in parts]) for side in (0, 1))
        return TopEntries(rows, scores, words, self.tokenizer)

    def svd(self, k: int = 5) -> SingularDirections:
        """The k largest singular values of the whole table and their vectors (Millidge and Black 2022), from its
        factors: exact, and the table is not made."""
        (left, upper), (right, lower) = (torch.linalg.qr(side.double()) for side in (self.left, self.right))
        u, values, v = torch.linalg.svd(upper @ lower.T)
        k = min(k, len(values))
        vectors = ((left @ u[:, :k]).float(), (right @ v.T[:, :k]).float())
        return SingularDirections(values[:k].float(), *vectors, self.tokenizer)

    def labelled(self) -> LabelledNumbers:
        size = 4 * len(self.left) * len(self.right)
        refuse_large(size, f"the table {self.name}", "ask for rows with .top(tokens), for .largest() or .svd()")
        sides = [spelled(self.tokenizer, range(len(side))) for side in (self.left, self.right)]
        axes = (numbered("token", len(self.left), sides[0]), numbered("word", len(self.right), sides[1]))
        return LabelledNumbers(self.left @ self.right.T, axes)

    def __repr__(self) -> str:
        return f"HeadTable({self.name}: {len(self.left)} tokens x {len(self.right)} words, rank {self.left.shape[1]})"

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


def qk(model: nn.Module, layer: str, head: int, *, tokenizer: Speller | None = None) -> HeadTable:
    """The QK circuit of a head, tokens by tokens: which key token a query token looks for. Elhage et al. 2021.

    W_E^T W_Q^T W_K W_E in the paper's letters, with the norm before the layer. Of our models and live ones.
    """
    return HeadTable.of(model, layer, head, "qk", tokenizer=tokenizer)


def ov(model: nn.Module, layer: str, head: int, *, tokenizer: Speller | None = None) -> HeadTable:
    """The OV circuit of a head, tokens by words: what a token that is looked at promotes. Elhage et al. 2021.

    W_U W_O W_V W_E; `.copying()` tells a copying head. Of our models and live ones.
    """
    return HeadTable.of(model, layer, head, "ov", tokenizer=tokenizer)


def spelled(tokenizer: Speller | None, ids: Iterable[int]) -> tuple[str, ...]:
    """Tokens as words, or as their numbers where nobody said how to spell."""
    return tuple(map(str, ids)) if tokenizer is None else spell(tokenizer, list(ids))


def entry_lines(
    names: Sequence[str], words: Tensor, scores: Tensor, tokenizer: Speller | None, *, most: int = 10
) -> list[str]:
    """A line for each of some rows, with its best words and their scores."""
    rows = zip(names, words.tolist(), scores.tolist(), strict=True)
    lines = [
        f"{name}: " + ", ".join(f"{word} {score:.3g}" for word, score in zip(spelled(tokenizer, ids), row, strict=True))
        for name, ids, row in rows
    ]
    return [*lines[:most], *([f"… {len(lines)} rows"] if len(lines) > most else [])]


@torch.no_grad()
def _stream(unembedding: Unembedding, block: TransformerBlock) -> Tensor:
    """Every token as a block reads it when nothing but its embedding is in the stream; a norm's gain is elsewhere."""
    embedding = unembedding.embedding
    x = embedding.table.weight.detach() * embedding.scale
    x = x if embedding.norm is None else embedding.norm(x)
    x = (x if embedding.widen is None else embedding.widen(x)).float()
    if not block.pre_norm or isinstance(block.self_norm, NoNorm):
        return x
    x = x - x.mean(-1, keepdim=True) if isinstance(block.self_norm, nn.LayerNorm) else x
    return x / x.square().mean(-1, keepdim=True).add(1e-6).sqrt()
