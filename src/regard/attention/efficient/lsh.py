"""Only vectors that fall into the same bucket are compared."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar, ParamSpec, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from regard.attention.biases import Bias
from regard.attention.efficient.method import AttentionMethod
from regard.attention.kernels import KernelResult
from regard.attention.masks import Causal, Mask, Padding
from regard.attention.masks.padding import padding
from regard.attention.normalisers import Softmax
from regard.attention.pattern import Pattern
from regard.attention.scores import Dot
from regard.attention.tiles import BUDGET
from regard.config.ranges import COPIES, COUNT, POSITIONS
from regard.errors import RegardError, ShapeError, expect
from regard.shapes import Allowed, Columns, Rows, Tile

SELF_PENALTY = 1e3  # far below any other score, and near enough to 0 that what is left of the score keeps its digits
MOST_ROTATED = 128  # buckets that one rotation tells apart; more are told apart by two
NOBODY = -2  # the code of a position that is not there: nobody meets it

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

Codes = Int[Tensor, "batch heads rounds length"]
"""Bucket and chunk of each token in every round, as one number that grows in the order of the buckets."""


def share_bucket(query_codes: Tensor, key_codes: Tensor) -> Tensor:
    """Whether codes (…, rows) and (…, columns) are of one bucket, in one chunk or the one before it."""
    ahead = query_codes[..., :, None] - key_codes[..., None, :]
    return (ahead == 0) | (ahead == 1)


@dataclass(frozen=True, eq=False, repr=False)
class BucketMask(Mask):
    """Tokens see those whom they met: in some round, in their bucket, in their chunk or the one before it."""

    codes: Codes

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        met_at_all = share_bucket(self.codes[:, :, 0, rows], self.codes[:, :, 0, columns])
        for number in range(1, self.codes.shape[2]):
            met_at_all |= share_bucket(self.codes[:, :, number, rows], self.codes[:, :, number, columns])
        return met_at_all

    def part(self, batch: slice, heads: slice) -> "BucketMask":
        return BucketMask(self.codes[batch, heads])

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        expect("BucketMask", "batch members", self.codes.shape[0], batch)
        expect("BucketMask", "heads", self.codes.shape[1], heads)
        expect("BucketMask", "positions", self.codes.shape[3], keys)

    def __repr__(self) -> str:
        return f"BucketMask({self.codes.shape[2]} rounds)"


@dataclass(frozen=True, repr=False)
class SelfPenalty(Bias):
    """A token looks at itself only where there is nobody else: no key is nearer to a query than its own."""

    def tile(self, rows: Rows, columns: Columns) -> Tile:
        return -SELF_PENALTY * (rows[:, None] == columns).float()[None, None]


class LSHAttention(AttentionMethod):
    """Queries are their own keys, hashed by random rotations; who shares a bucket is compared: Kitaev et al. 2020, 2.

    In each of `rounds`, tokens are sorted by bucket and cut into chunks; a chunk sees itself and the one before it. A
    pair that meets in several rounds counts once. There are as many `buckets` as make a chunk twice as long as a
    bucket, unless given; rotations follow from `seed`. Time grows with length x chunk x rounds, and with the sorting.
    """

    promise: ClassVar[str] = "exact over those who met; nearer to full attention of shared queries with every round"
    shares: ClassVar[bool] = True
    example_settings: ClassVar[Mapping[str, object]] = {"rounds": 2, "chunk": 8}

    rounds: int
    chunk: int
    buckets: int | None
    seed: int

    def __init__(
        self,
        rounds: Annotated[int, COPIES] = 4,
        chunk: Annotated[int, POSITIONS] = 64,
        buckets: Annotated[int, POSITIONS] | None = None,
        seed: Annotated[int, COUNT] = 0,
    ) -> None:
        super().__init__()
        if rounds < 1 or chunk < 1:
            raise ShapeError(f"1 round or more, and chunks of 1 or more, expected, got rounds={rounds}, chunk={chunk}")
        if buckets is not None and (buckets < 2 or buckets % 2):
            raise ShapeError(f"an even number of buckets expected, got {buckets}")
        self.rounds, self.chunk, self.buckets, self.seed = rounds, chunk, buckets, seed

    def pattern(self, full: Pattern) -> Pattern:
        """Keys of length 1, a mask of those who met, and a penalty on looking at oneself."""
        self.check_dot_softmax(full)
        self.mask_parts(full.mask, Causal, Padding)
        if full.key is not full.query:
            raise RegardError(f"{self.name} compares queries with each other: give them as keys, too")
        meeting = BucketMask(self.codes(full.query.detach(), padding(full.mask)))
        mask = meeting if full.mask is None else full.mask & meeting
        return replace(full, key=F.normalize(full.query, dim=-1), bias=SelfPenalty(), mask=mask)

    def codes(self, x: Tensor, hides: Padding | None) -> Tensor:
        """Where every token goes in every round; padding comes last, so that it is in nobody's way."""
        length = x.shape[2]
        sides = factors(self.buckets or 2 * max(math.ceil(length / self.chunk), 1))
        generator = torch.Generator().manual_seed(self.seed)
        chunk = torch.arange(length, device=x.device) // self.chunk
        rounds = []
        for _ in range(self.rounds):
            bucket = hash_buckets(x, sides, generator)
            if hides is not None:
                bucket = torch.where(hides.attention_mask[:, None], bucket, math.prod(sides))
            order = bucket.argsort(dim=-1, stable=True)
            chunk_of = torch.empty_like(order).scatter_(-1, order, chunk.expand_as(order))
            rounds.append(bucket * (length // self.chunk + 3) + chunk_of)
        return torch.stack(rounds, 2).int()

    def run(self, pattern: Pattern, dropout: float, tell: bool) -> KernelResult:
        """Every round by itself; what they gathered is added up by its share of the whole: appendix A."""
        self.check_no_dropout(dropout)
        codes = next(part.codes for part in self.parts(pattern) if isinstance(part, BucketMask))
        rounds = [self.round_output(pattern, codes, number) for number in range(codes.shape[2])]
        shares = torch.cat([share for _, share in rounds], -1)
        total = logsumexp(shares)
        output = sum((share - total).exp() * values for values, share in rounds)
        assert isinstance(output, Tensor)
        return output.to(pattern.values.dtype), (total.detach(),) if tell else None

    def parts(self, pattern: Pattern) -> tuple[Mask, ...]:
        return self.mask_parts(pattern.mask, Causal, Padding, BucketMask)

    def round_output(self, pattern: Pattern, codes: Codes, number: int) -> tuple[Tensor, Tensor]:
        """What is gathered in one round, and the log-sum-exp of its share of the scores, -inf where it has none."""
        batch, heads, length, width = pattern.query.shape
        order = codes[:, :, number].argsort(dim=-1, stable=True)
        rows = F.pad(order, (0, -length % self.chunk), value=length).unflatten(2, (-1, self.chunk))
        columns = torch.cat([F.pad(rows[:, :, :-1], (0, 0, 1, 0), value=length), rows], -1)
        kind = torch.promote_types(pattern.query.dtype, torch.float32)
        assert isinstance(pattern.score, Dot)
        query = take(pattern.query.to(kind) * pattern.score.factor(width), rows)
        key, value = (take(each.to(kind), columns) for each in (pattern.key, pattern.values))
        query_codes = key_codes = codes.movedim(2, -1)
        if (hides := padding(pattern.allowed)) is not None:
            key_codes = torch.where(hides.attention_mask[:, None, :, None], key_codes, NOBODY)
        query_codes, key_codes = take(query_codes, rows, NOBODY), take(key_codes, columns, NOBODY)
        is_causal = any(isinstance(part, Causal) for part in self.parts(pattern))
        look = partial(
            attend_chunks, number=number, is_causal=is_causal, inverse_temperature=pattern.inverse_temperature
        )
        look = recompute_backward(look) if torch.is_grad_enabled() else look
        step = max(BUDGET // (batch * heads * 2 * self.chunk**2), 1)
        pieces = zip(
            *(each.split(step, 2) for each in (query, key, value, rows, columns, query_codes, key_codes)), strict=True
        )
        pieces_output = [look(*piece) for piece in pieces]
        back = rows.flatten(2).argsort(-1)[..., :length]
        values, share = (torch.cat(each, 2).flatten(2, 3) for each in zip(*pieces_output, strict=True))
        return take(values, back), take(share, back)


def attend_chunks(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    rows: Tensor,
    columns: Tensor,
    query_codes: Tensor,
    key_codes: Tensor,
    *,
    number: int,
    is_causal: bool,
    inverse_temperature: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Chunks look at themselves and the chunk before: (batch, heads, chunks, positions, …).

    Rows and columns are where these positions are in the text, `query_codes` and `key_codes` their codes in all
    rounds, of which this is the one with a `number`.
    """
    meetings = [
        share_bucket(own, other) for own, other in zip(query_codes.unbind(-1), key_codes.unbind(-1), strict=True)
    ]
    times = sum(meeting.to(query.dtype) for meeting in meetings)
    allowed = meetings[number]
    if is_causal:
        allowed = allowed & (rows[..., :, None] >= columns[..., None, :])
    scores = query @ key.transpose(-1, -2) - SELF_PENALTY * (rows[..., :, None] == columns[..., None, :])
    scores = scores if inverse_temperature is None else scores * inverse_temperature[:, None, None, None]
    scores = torch.where(allowed, scores - torch.where(allowed, times, 1).log(), -torch.inf)
    share = logsumexp(scores)
    return (scores - share).exp() @ value, torch.where(allowed.any(-1, keepdim=True), share, -torch.inf)


def logsumexp(scores: Tensor) -> Tensor:
    """Of the last dimension, which stays; 0 where everything is forbidden."""
    return Softmax().row_statistics(scores, torch.arange(scores.shape[-1], device=scores.device))[0]


def recompute_backward(call: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The same, done again backward instead of kept."""
    return partial(checkpoint, call, use_reentrant=False, preserve_rng_state=False)


def take(x: Tensor, indices: Tensor, fill: float = 0) -> Tensor:
    """(batch, heads, length, width) at (batch, heads, …) positions; `fill` at the position after the last."""
    batch, heads, length, width = x.shape
    rows = F.pad(x, (0, 0, 0, 1), value=fill).reshape(-1, width)
    first = torch.arange(batch * heads, device=x.device).view(batch, heads, *[1] * (indices.ndim - 2)) * (length + 1)
    return rows.index_select(0, (indices + first).flatten()).view(*indices.shape, width)


def factors(buckets: int) -> tuple[int, ...]:
    """The buckets of one rotation, or of two whose product is at least as many: 2N/chunk of them would cost N²."""
    if buckets <= MOST_ROTATED:
        return (buckets,)
    side = 2 * math.ceil(math.sqrt(buckets) / 2)
    return side, 2 * math.ceil(buckets / side / 2)


def hash_buckets(x: Tensor, sides: tuple[int, ...], generator: torch.Generator) -> Tensor:
    """The bucket of each vector: which of the random directions [R, -R] it points along most (Andoni et al. 2015)."""
    bucket = torch.zeros(x.shape[:-1], dtype=torch.long, device=x.device)
    for side in sides:
        turned = x.float() @ torch.randn(x.shape[-1], side // 2, generator=generator).to(x.device)
        most, least = turned.max(-1), turned.min(-1)
        along = torch.where(most.values >= -least.values, most.indices, side // 2 + least.indices)
        bucket = bucket * side + along
    return bucket
