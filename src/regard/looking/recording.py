"""The calls of one layer, kept so that each key is kept once, however many steps of a decoding saw it.

A step with a cache sees all keys of the steps before it and its own. Only its own are kept; when a step's pattern is
asked for, its keys are put together again. What a cache has dropped, reordered (beams) or begun anew is noticed,
because the keys that a step brings are compared with those that are known.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.attention.values import rebuilt

Change = Callable[[Tensor], Tensor]
SHARED = ("key", "value")  # what steps have in common


class Ribbon:
    """Vectors of one token after another, (batch, heads, length, width), with room for some more."""

    def __init__(self, first: Tensor) -> None:
        self.room, self.length = first, first.shape[2]

    def grow(self, more: Tensor) -> None:
        """Put vectors behind the others; room grows by a quarter, so that each is copied a few times at most."""
        length = self.length + more.shape[2]
        if length > self.room.shape[2]:
            size = list(self.room.shape)
            size[2] = max(length, self.length + self.length // 4 + 8)
            room = self.room.new_empty(size)
            room[:, :, : self.length] = self.room[:, :, : self.length]
            self.room = room
        self.room[:, :, self.length : length] = more
        self.length = length

    def part(self, first: int, last: int) -> Tensor:
        return self.room[:, :, first:last]


@dataclass(frozen=True)
class Strand:
    """Keys and, where they are kept, values that steps share, from the position `start` of their text on.

    A text that goes on from another, as beams do, has the rows of that other `before` its own.
    """

    ribbons: tuple[Ribbon, ...]
    start: int
    before: "Strand | None" = None
    rows: Tensor | None = None

    @property
    def end(self) -> int:
        return self.start + self.ribbons[0].length

    def read(self, first: int, last: int) -> list[Tensor]:
        """Keys, and values, from one position to another."""
        mine = [ribbon.part(max(first - self.start, 0), last - self.start) for ribbon in self.ribbons]
        if first >= self.start or self.before is None:
            return mine
        earlier = self.before.read(first, self.start)
        return [torch.cat([theirs[self.rows], own], 2) for theirs, own in zip(earlier, mine, strict=True)]


@dataclass(frozen=True)
class Step:
    """A call: its pattern without keys and values, and where these are."""

    pattern: dict[str, Any]
    strand: Strand
    first: int
    last: int

    def whole(self) -> Pattern:
        """The pattern of the call; the same one each time where its keys are not copied for it."""
        known: Pattern | None = self.__dict__.get("_whole")
        if known is None:
            vectors = self.strand.read(self.first, self.last)
            known = Pattern(**self.pattern, **dict(zip(SHARED, vectors, strict=False)))
            if self.strand.before is None:
                self.__dict__["_whole"] = known
        return known


class Recording(Sequence[Pattern]):
    """The patterns of every call of a layer, in order; put together when they are asked for."""

    def __init__(self) -> None:
        self.steps: list[Step | Pattern] = []

    def keep(self, pattern: Pattern) -> None:
        """One more call, as it is."""
        self.steps.append(pattern)

    def add(self, pattern: Pattern, own: Change) -> None:
        """One more call, in memory of its own: `own` copies the tensors of its mask, which layers may share."""
        vectors = [pattern.key] if pattern.value is None else [pattern.key, pattern.value]
        first, last = pattern.first_key, pattern.first_key + pattern.shape[3]
        strand = self.continued(vectors, first, last)
        if strand is None:
            strand = Strand(tuple(Ribbon(copy(x)) for x in vectors), first)
        rest = {field.name: getattr(pattern, field.name) for field in fields(pattern) if field.name not in SHARED}
        copied = {name: rebuilt(value, own if name == "mask" else copy) for name, value in rest.items()}
        self.steps.append(Step(copied, strand, first, last))

    def continued(self, vectors: list[Tensor], first: int, last: int) -> Strand | None:
        """The strand of the last call, if this one goes on from it, grown by what is new; None if it does not."""
        step = self.steps[-1] if self.steps else None
        if not isinstance(step, Step) or not step.first <= first <= step.last <= last:
            return None
        known, overlap = step.strand.read(first, step.last), step.last - first
        if len(known) != len(vectors) or any(not alike(*pair) for pair in zip(known, vectors, strict=True)):
            return None
        here = [x[:, :, :overlap].detach() for x in vectors]
        new = [x[:, :, overlap:].detach() for x in vectors]
        rows = matched(known, here)
        if rows is None:
            return None
        as_before = len(rows) == len(known[0]) and bool((rows == torch.arange(len(rows))).all())
        if as_before and step.strand.end == step.last:
            for ribbon, more in zip(step.strand.ribbons, new, strict=True):
                ribbon.grow(more)
            return step.strand
        return Strand(tuple(Ribbon(copy(more)) for more in new), step.last, step.strand, rows)

    @overload
    def __getitem__(self, index: int) -> Pattern: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pattern]: ...
    def __getitem__(self, index: int | slice) -> Pattern | list[Pattern]:
        steps = self.steps[index]
        return [whole(step) for step in steps] if isinstance(steps, list) else whole(steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Pattern]:
        return map(whole, self.steps)


def copy(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()


def whole(step: Step | Pattern) -> Pattern:
    return step.whole() if isinstance(step, Step) else step


def alike(known: Tensor, other: Tensor) -> bool:
    """Whether vectors of two calls can be the same at all."""
    same_kind = known.dtype == other.dtype and known.device == other.device
    return same_kind and known.shape[1] == other.shape[1] and known.shape[3] == other.shape[3]


def matched(known: list[Tensor], here: list[Tensor]) -> Tensor | None:
    """For every row of this call, a row of the last one with the same vectors; None if one has none."""
    if not here[0].shape[2]:
        return torch.arange(len(here[0])) if len(here[0]) == len(known[0]) else None
    if all(len(a) == len(b) and torch.equal(a, b) for a, b in zip(known, here, strict=True)):
        return torch.arange(len(here[0]))
    rows = []
    for row in range(len(here[0])):
        same = (
            other
            for other in range(len(known[0]))
            if all(torch.equal(a[other], b[row]) for a, b in zip(known, here, strict=True))
        )
        if (found := next(same, None)) is None:
            return None
        rows.append(found)
    return torch.tensor(rows)
