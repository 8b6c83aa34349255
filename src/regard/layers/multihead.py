"""Several looks at once."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Bias, Cache, Dot, LearnedScore, Mask, attend
from regard.attention.efficient import AttentionMethod
from regard.attention.scores import Disentangled
from regard.attention.taps import Taps, active_taps
from regard.config.head_split import HeadSplit
from regard.errors import ShapeError, expect
from regard.layers.distances import Distances
from regard.layers.linear import Linear, PartlyBiased, cut, without_bias
from regard.layers.query_key_norm import QueryKeyNorm
from regard.positions import Position
from regard.shapes import Positions, Stream

Source = Float[Tensor, "batch source_length source_width"]
"""The vectors of another sequence that is looked at."""


class MultiHead(nn.Module):
    """Project into heads, attend in each, and read all of them together: Vaswani et al. 2017, 3.2.2.

    Query, key and value of one source come from one projection. With `source_width`, keys and values come from
    another source: cross-attention. Values may be wider or narrower than keys (`HeadSplit.value_width`). A `method`
    compares fewer pairs than all (attention/efficient). The one place where a model calls attend().
    """

    taps: Taps = ()

    shares: bool
    width: int
    source_width: int
    crosses: bool
    score: LearnedScore | None
    method: AttentionMethod | None
    query_key_norm: QueryKeyNorm | None
    dropout: float
    split: HeadSplit
    sizes: tuple[int, int, int]
    query: Linear
    kv: Linear
    qkv: Linear
    output: Linear

    def __init__(
        self,
        width: int,
        heads: int | HeadSplit,
        *,
        source_width: int | None = None,
        bias: bool = True,
        output_bias: bool | None = None,
        score: LearnedScore | None = None,
        method: AttentionMethod | None = None,
        query_key_norm: QueryKeyNorm | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.split = split = heads if isinstance(heads, HeadSplit) else HeadSplit.of(width, heads)
        self.kv_head_of = split.kv_head_of
        self.shares = method is not None and method.shares
        if self.shares and (source_width is not None or split.kv_heads != split.heads):
            raise ShapeError(
                f"{type(method).__name__} compares queries with each other: no source and no groups of heads"
            )
        self.sizes = queries, keys, values = self.sizes_of(split)
        self.width, self.source_width = width, width if source_width is None else source_width
        self.crosses = source_width is not None
        if source_width is None:
            self.qkv = Linear(width, queries + keys + values, bias=bias)
        else:
            self.query = Linear(width, queries, bias=bias)
            self.kv = Linear(source_width, keys + values, bias=bias)
        gathered = len(split.remaining_heads) * split.value_width
        self.output = Linear(gathered, width, bias=bias if output_bias is None else output_bias)
        self.score, self.method, self.query_key_norm = score, method, query_key_norm
        self.dropout = dropout

    def sizes_of(self, split: HeadSplit) -> tuple[int, int, int]:
        """How many numbers of queries, keys and values all heads have together; no keys where they are the queries."""
        heads, kv_heads = len(split.remaining_heads), len(split.remaining_kv_heads)
        return heads * split.width, 0 if self.shares else kv_heads * split.width, kv_heads * split.value_width

    def forward(
        self,
        x: Stream,
        source: Source | None = None,
        *,
        mask: Mask | None = None,
        bias: Bias | None = None,
        position: Position | None = None,
        positions: Positions | None = None,
        cache: Cache | None = None,
        distances: Distances | None = None,
    ) -> Stream:
        """Vectors that have looked around: at themselves, or at `source`.

        A cache holds what was read already; keys and values of a source go into it once. Where it holds fewer
        sources than there are members in the batch, as many members in a row look at the same one. `distances` are
        compared with queries and keys, by the layer's own projections.
        """
        if self.shares and cache is not None:
            raise ShapeError(f"{type(self.method).__name__} reads a whole text at once: it has no use for a cache")
        query, key, value = self.projections(x, source, cache)
        if self.query_key_norm is not None:
            query, key = self.query_key_norm(query, key)
        if position is not None:
            if positions is None or self.crosses:
                raise ShapeError("positions are rotated into queries and keys of one sequence: its positions expected")
            query = position.rotate(query, positions)
            key = position.rotate(key, positions) if key is not None else None
        if self.score is not None:
            query, key = self.score.query(query), self.score.key(key) if key is not None else None
        key, value = self.keys_and_values(cache, query if self.shares else key, value)
        taps = active_taps(self.taps) if self.taps else ()
        beams = len(query) // len(key) if 0 < len(key) < len(query) else 1
        # Who looks there wants to see every member.
        if beams > 1 and (taps or self.score is not None or self.method is not None):
            key, value, beams = key.repeat_interleave(beams, 0), value.repeat_interleave(beams, 0), 1
        elif beams > 1:
            query, mask = fold_beams(query, beams), mask and mask.part(slice(None, None, beams), slice(None))
        score = Dot() if self.score is None else self.score.score(query.shape[2], key.shape[2])
        if distances is not None:
            score = self.disentangled(distances)
        if self.kv_head_of is not None:
            key, value = key[:, self.kv_head_of], value[:, self.kv_head_of]
        if bias is not None and self.split.is_pruned:
            bias = bias.heads(torch.tensor(self.split.remaining_heads, device=x.device))
        head_outputs = attend(
            query,
            key,
            value,
            score=score,
            bias=bias,
            mask=mask,
            method=self.method,
            taps=taps,
            positions=positions if taps else None,
            dropout=self.dropout if self.training else 0.0,
        )
        if beams > 1:
            head_outputs = unfold_beams(head_outputs, beams)
        return self.output(head_outputs.transpose(1, 2).flatten(2))

    def disentangled(self, distances: Distances) -> Disentangled:
        """The score that compares content with distances, too."""
        if self.crosses or self.score is not None or self.method is not None:
            raise ShapeError("distances are compared within one text, by the dot product of every pair")
        query, key, _ = self.qkv(distances.vectors[None]).split(self.sizes, -1)
        query, key = self.split_heads(query)[0], self.split_heads(key)[0]
        if self.kv_head_of is not None:
            key = key[list(self.kv_head_of)]
        elif len(key) < len(query):
            key = key.repeat_interleave(len(query) // len(key), 0)
        return Disentangled(query, key, distances.bucket)

    def drop_key_bias(self) -> "MultiHead":
        """Keys have no bias from now on. It never shows in weights, whose rows it raises as a whole; but scores have
        it, and checkpoints."""
        queries, keys, _ = self.sizes
        if self.crosses:
            self.kv = without_bias(self.kv, slice(0, keys))
        else:
            self.qkv = without_bias(self.qkv, slice(queries, queries + keys))
        return self

    def keep(self, remaining_heads: tuple[int, ...]) -> None:
        """Cut all other heads out of the weights; heads are named by the numbers that they had at first."""
        if self.query_key_norm is not None and self.query_key_norm.is_joint:
            raise ShapeError("queries of all heads are normalised together: without some the others would change")
        queries, keys, _ = self.sizes
        before, self.split = (
            self.split,
            HeadSplit.of(
                self.width,
                self.split.heads,
                head_width=self.split.width,
                kv_heads=self.split.kv_heads,
                remaining_heads=remaining_heads,
                value_width=self.split.value_width,
            ),
        )
        self.kv_head_of, self.sizes = self.split.kv_head_of, self.sizes_of(self.split)
        heads = torch.tensor(
            [before.remaining_heads.index(head) for head in self.split.remaining_heads],
            device=self.output.weight.device,
        )
        groups = torch.tensor(
            [before.remaining_kv_heads.index(group) for group in self.split.remaining_kv_heads], device=heads.device
        )
        query_rows = rows_of(heads, before.width)
        key_rows = rows_of(groups[:0] if self.shares else groups, before.width)
        value_rows = keys + rows_of(groups, before.value_width)
        has_key_bias = not isinstance(self.kv if self.crosses else self.qkv, PartlyBiased)
        if self.crosses:
            self.query, self.kv = cut(self.query, query_rows), cut(self.kv, torch.cat([key_rows, value_rows]))
        else:
            self.qkv = cut(self.qkv, torch.cat([query_rows, queries + key_rows, queries + value_rows]))
        if not has_key_bias:
            self.drop_key_bias()
        self.output = cut(self.output, columns=rows_of(heads, before.value_width))
        for name, table in [] if self.score is None else list(self.score.named_parameters()):
            setattr(self.score, name, nn.Parameter(table.detach()[heads].clone(), table.requires_grad))

    def projections(
        self, x: Stream, source: Source | None, cache: Cache | None
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Queries, keys and values; no keys and values where the cache has those of the source, no keys where they are
        the queries."""
        expect("the stream", "numbers in each vector", x.shape[-1], self.width)
        if not self.crosses:
            if source is not None:
                raise ShapeError("this layer looks at its own sequence: give source_width to make it look at a source")
            query, key, value = self.qkv(x).split(self.sizes, -1)
            key = None if self.shares else self.split_heads(key)
            return self.split_heads(query), key, self.split_values(value)
        query = self.split_heads(self.query(x))
        if cache is not None and cache.key is not None:
            return query, None, None
        if source is None:
            raise ShapeError("this layer looks at a source, and none was given")
        expect("the source", "numbers in each vector", source.shape[-1], self.source_width)
        key, value = self.kv(source).split(self.sizes[1:], -1)
        return query, self.split_heads(key), self.split_values(value)

    def keys_and_values(self, cache: Cache | None, key: Tensor | None, value: Tensor | None) -> tuple[Tensor, Tensor]:
        """Keys and values with those that the cache holds."""
        if cache is None:
            assert key is not None
            assert value is not None
            return key, value
        if key is None or value is None:
            assert cache.key is not None
            assert cache.value is not None
            return cache.key, cache.value
        return cache.fill(key, value) if self.crosses else cache.extend(key, value)

    def split_heads(self, x: Tensor) -> Tensor:
        """(batch, length, heads x width) becomes (batch, heads, length, width)."""
        return x.unflatten(-1, (-1, self.split.width)).transpose(1, 2)

    def split_values(self, x: Tensor) -> Tensor:
        """The same of values, which may have another width."""
        return x.unflatten(-1, (-1, self.split.value_width)).transpose(1, 2)


def rows_of(heads: Tensor, width: int) -> Tensor:
    """The numbers of these heads among those of all, each `width` wide."""
    return (heads[:, None] * width + torch.arange(width, device=heads.device)).flatten()


def fold_beams(query: Tensor, beams: int) -> Tensor:
    """(sources x beams, heads, length, width) becomes (sources, heads, beams x length, width)."""
    return query.unflatten(0, (-1, beams)).transpose(1, 2).flatten(2, 3)


def unfold_beams(head_outputs: Tensor, beams: int) -> Tensor:
    """The other way round."""
    return head_outputs.unflatten(2, (beams, -1)).transpose(1, 2).flatten(0, 1)
