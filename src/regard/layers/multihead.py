"""Several looks at once."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention import Bias, Cache, Compare, Dot, Mask, attend
from regard.attention.efficient import Way
from regard.attention.taps import Taps, at_work
from regard.errors import ShapeError, expect
from regard.layers.linear import Linear, cut
from regard.positions import Position
from regard.shapes import Stream, TokenPlaces

Source = Float[Tensor, "batch source_length source_width"]
"""The vectors of another sequence that is looked at."""


@dataclass(frozen=True)
class Split:
    """How a stream is split into heads.

    `groups` key heads serve `heads` query heads between them. `kept` names the heads that pruning left, by the
    numbers they had before; `heads` and `groups` count those of before, too.
    """

    heads: int
    width: int
    groups: int
    kept: tuple[int, ...]

    @classmethod
    def of(
        cls,
        width: int,
        heads: int,
        *,
        head_width: int | None = None,
        groups: int | None = None,
        kept: tuple[int, ...] | None = None,
    ) -> "Split":
        """Heads that share a stream of this width evenly, unless told otherwise."""
        if heads < 1:
            raise ShapeError(f"at least one head expected, got {heads}")
        if head_width is None and width % heads:
            raise ShapeError(
                f"a width of {width} cannot be split into {heads} heads: give head_width, or another number"
            )
        groups = heads if groups is None else groups
        if groups < 1 or heads % groups:
            raise ShapeError(f"{groups} groups cannot be shared evenly by {heads} heads")
        if head_width is not None and head_width < 1:
            raise ShapeError(f"a head has at least one number in each vector, got {head_width}")
        kept = tuple(range(heads)) if kept is None else tuple(sorted(set(kept)))
        if not kept or not 0 <= kept[0] <= kept[-1] < heads:
            raise ShapeError(
                f"heads to keep are numbered from 0 to {heads - 1}, at least one of them, got {list(kept)}"
            )
        return cls(heads, width // heads if head_width is None else head_width, groups, kept)

    @property
    def pruned(self) -> bool:
        return len(self.kept) < self.heads

    @property
    def kept_groups(self) -> tuple[int, ...]:
        """The groups that still serve a head."""
        return tuple(sorted({head * self.groups // self.heads for head in self.kept}))

    @property
    def serving(self) -> tuple[int, ...] | None:
        """Which of the groups left serves each head left; None where they still share evenly."""
        mine = tuple(self.kept_groups.index(head * self.groups // self.heads) for head in self.kept)
        shared, rest = divmod(len(self.kept), len(self.kept_groups))
        even = not rest and mine == tuple(head // shared for head in range(len(self.kept)))
        return None if even else mine


class MultiHead(nn.Module):
    """Project into heads, attend in each, and read all of them together: Vaswani et al. 2017, 3.2.2.

    Query, key and value of one source come from one projection. With `source_width`, keys and values come from
    another source: cross-attention. A `way` compares fewer pairs than all (attention/efficient). The one place where
    a model calls attend().
    """

    taps: Taps = ()

    def __init__(
        self,
        width: int,
        heads: int | Split,
        *,
        source_width: int | None = None,
        bias: bool = True,
        output_bias: bool | None = None,
        compare: Compare | None = None,
        way: Way | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.split = split = heads if isinstance(heads, Split) else Split.of(width, heads)
        self.serving = split.serving
        self.shares = way is not None and way.shares
        if self.shares and (source_width is not None or split.groups != split.heads):
            raise ShapeError(f"{type(way).__name__} compares queries with each other: no source and no groups of heads")
        queries, pairs = len(split.kept) * split.width, 2 * len(split.kept_groups) * split.width
        self.width, self.source_width = width, width if source_width is None else source_width
        self.crosses = source_width is not None
        if source_width is None:
            self.project = Linear(width, queries + (pairs // 2 if self.shares else pairs), bias=bias)
        else:
            self.query = Linear(width, queries, bias=bias)
            self.pair = Linear(source_width, pairs, bias=bias)
        self.output = Linear(queries, width, bias=bias if output_bias is None else output_bias)
        self.compare, self.way = compare, way
        self.dropout = dropout

    def forward(
        self,
        x: Stream,
        source: Source | None = None,
        *,
        mask: Mask | None = None,
        bias: Bias | None = None,
        position: Position | None = None,
        places: TokenPlaces | None = None,
        cache: Cache | None = None,
    ) -> Stream:
        """Vectors that have looked around: at themselves, or at `source`.

        A cache holds what was read already; keys and values of a source go into it once. Where it holds fewer
        sources than there are members in the batch, as many members in a row look at the same one.
        """
        if self.shares and cache is not None:
            raise ShapeError(f"{type(self.way).__name__} reads a whole text at once: it has no use for a cache")
        query, key, value = self.heads(x, source, cache)
        if position is not None:
            if places is None or self.crosses:
                raise ShapeError("positions are turned into queries and keys of one sequence: its places expected")
            query = position.turn(query, places)
            key = position.turn(key, places) if key is not None else None
        if self.compare is not None:
            query, key = self.compare.query(query), self.compare.key(key) if key is not None else None
        key, value = self.remembered(cache, query if self.shares else key, value)
        taps = at_work(self.taps) if self.taps else ()
        beams = len(query) // len(key) if 0 < len(key) < len(query) else 1
        # Who looks there wants to see every member.
        if beams > 1 and (taps or self.compare is not None or self.way is not None):
            key, value, beams = key.repeat_interleave(beams, 0), value.repeat_interleave(beams, 0), 1
        elif beams > 1:
            query, mask = folded(query, beams), mask and mask.part(slice(None, None, beams), slice(None))
        score = Dot() if self.compare is None else self.compare.score(query.shape[2], key.shape[2])
        if self.serving is not None:
            key, value = key[:, self.serving], value[:, self.serving]
        if bias is not None and self.split.pruned:
            bias = bias.heads(torch.tensor(self.split.kept, device=x.device))
        gathered = attend(
            query,
            key,
            value,
            score=score,
            bias=bias,
            mask=mask,
            way=self.way,
            taps=taps,
            places=places if taps else None,
            dropout=self.dropout if self.training else 0.0,
        )
        if beams > 1:
            gathered = unfolded(gathered, beams)
        return self.output(gathered.transpose(1, 2).flatten(2))

    def keep(self, kept: tuple[int, ...]) -> None:
        """Cut all other heads out of the weights; heads are named by the numbers that they had at first."""
        before, self.split = (
            self.split,
            Split.of(self.width, self.split.heads, head_width=self.split.width, groups=self.split.groups, kept=kept),
        )
        self.serving = self.split.serving
        heads = torch.tensor([before.kept.index(head) for head in self.split.kept], device=self.output.weight.device)
        groups = [before.kept_groups.index(group) for group in self.split.kept_groups]
        numbers = torch.arange(before.width, device=heads.device)
        queries = (heads[:, None] * before.width + numbers).flatten()
        pairs = (torch.tensor(groups, device=heads.device)[:, None] * before.width + numbers).flatten()
        every = len(before.kept) * before.width
        parts = [pairs + len(before.kept_groups) * before.width * part for part in range(1 if self.shares else 2)]
        if self.crosses:
            self.query, self.pair = cut(self.query, queries), cut(self.pair, torch.cat(parts))
        else:
            self.project = cut(self.project, torch.cat([queries, *(every + part for part in parts)]))
        self.output = cut(self.output, columns=queries)
        for name, table in [] if self.compare is None else list(self.compare.named_parameters()):
            setattr(self.compare, name, nn.Parameter(table.detach()[heads].clone(), table.requires_grad))

    def heads(
        self, x: Stream, source: Source | None, cache: Cache | None
    ) -> tuple[Tensor, Tensor | None, Tensor | None]:
        """Queries, keys and values; no keys and values where the cache has those of the source, no keys where they are
        the queries."""
        expect("the stream", "numbers in each vector", x.shape[-1], self.width)
        if not self.crosses:
            if source is not None:
                raise ShapeError("this layer looks at its own sequence: give source_width to make it look at a source")
            both = self.project(x)
            queries = len(self.split.kept) * self.split.width
            if self.shares:
                query, value = both.tensor_split([queries], -1)
                return self.apart(query), None, self.apart(value)
            query, key, value = both.split(
                [queries, (both.shape[-1] - queries) // 2, (both.shape[-1] - queries) // 2], -1
            )
            return self.apart(query), self.apart(key), self.apart(value)
        query = self.apart(self.query(x))
        if cache is not None and cache.key is not None:
            return query, None, None
        if source is None:
            raise ShapeError("this layer looks at a source, and none was given")
        expect("the source", "numbers in each vector", source.shape[-1], self.source_width)
        key, value = self.pair(source).chunk(2, -1)
        return query, self.apart(key), self.apart(value)

    def remembered(self, cache: Cache | None, key: Tensor | None, value: Tensor | None) -> tuple[Tensor, Tensor]:
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

    def apart(self, x: Tensor) -> Tensor:
        """(batch, length, heads x width) becomes (batch, heads, length, width)."""
        return x.unflatten(-1, (-1, self.split.width)).transpose(1, 2)


def folded(query: Tensor, beams: int) -> Tensor:
    """(sources x beams, heads, length, width) becomes (sources, heads, beams x length, width)."""
    return query.unflatten(0, (-1, beams)).transpose(1, 2).flatten(2, 3)


def unfolded(gathered: Tensor, beams: int) -> Tensor:
    """The other way round."""
    return gathered.unflatten(2, (beams, -1)).transpose(1, 2).flatten(0, 1)
