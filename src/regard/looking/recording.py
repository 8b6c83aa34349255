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
from regard.attention.values import map_tensors

Change = Callable[[Tensor], Tensor]
SHARED = ("key", "value")  # what steps have in common
COMMON = ("mask", "bias", "query_positions")  # and layers


class VectorBuffer:
    """Vectors of one token after another, (batch, heads, length, width), with room for some more."""

    def __init__(self, first: Tensor) -> None:
        self.storage: Tensor = first
        self.length: int = first.shape[2]

    def grow(self, vectors: Tensor) -> None:
        """Put vectors behind the others; room grows by a quarter, so that each is copied a few times at most."""
        length = self.length + vectors.shape[2]
        if length > self.storage.shape[2]:
            size = list(self.storage.shape)
            size[2] = max(length, self.length + self.length // 4 + 8)
            storage = self.storage.new_empty(size)
            storage[:, :, : self.length] = self.storage[:, :, : self.length]
            self.storage = storage
        self.storage[:, :, self.length : length] = vectors
        self.length = length

    def part(self, first: int, last: int) -> Tensor:
        return self.storage[:, :, first:last]


@dataclass(frozen=True)
class KeyHistory:
    """Keys and, where they are kept, values that steps share, from the position `start` of their text on.

    A text that goes on from another, as beams do, has the rows of that other `before` its own.
    """

    buffers: tuple[VectorBuffer, ...]
    start: int
    parent: "KeyHistory | None" = None
    parent_rows: Tensor | None = None

    @property
    def end(self) -> int:
        return self.start + self.buffers[0].length

    def read(self, first: int, last: int) -> list[Tensor]:
        """Keys, and values, from one position to another."""
        own_vectors = [ribbon.part(max(first - self.start, 0), last - self.start) for ribbon in self.buffers]
        if first >= self.start or self.parent is None:
            return own_vectors
        earlier = self.parent.read(first, self.start)
        return [
            torch.cat([parent_vectors[self.parent_rows], vectors], 2)
            for parent_vectors, vectors in zip(earlier, own_vectors, strict=True)
        ]


@dataclass(frozen=True)
class RecordedStep:
    """A call: its pattern without keys and values, and where these are."""

    pattern: dict[str, Any]  # fields by name, as Pattern(**fields) takes them
    history: KeyHistory
    first: int
    last: int

    def whole_pattern(self) -> Pattern:
        """The pattern of the call; the same one each time where its keys are not copied for it."""
        result: Pattern | None = self.__dict__.get("_whole")
        if result is None:
            vectors = self.history.read(self.first, self.last)
            result = Pattern(**self.pattern, **dict(zip(SHARED, vectors, strict=False)))
            if self.history.parent is None:
                self.__dict__["_whole"] = result
        return result


class Recording(Sequence[Pattern]):
    """The patterns of every call of a layer, in order; put together when they are asked for."""

    def __init__(self) -> None:
        self.steps: list[RecordedStep | Pattern] = []

    def keep(self, pattern: Pattern) -> None:
        """One more call, as it is."""
        self.steps.append(pattern)

    def add(self, pattern: Pattern, copy_shared: Change) -> None:
        """One more call, in memory of its own: `copy_shared` copies the tensors that layers may have in common."""
        vectors = [pattern.key] if pattern.value is None else [pattern.key, pattern.value]
        first, last = pattern.first_key, pattern.first_key + pattern.shape[3]
        history = self.extend_history(vectors, first, last)
        if history is None:
            history = KeyHistory(tuple(VectorBuffer(copy(x)) for x in vectors), first)
        remaining_fields = {
            field.name: getattr(pattern, field.name) for field in fields(pattern) if field.name not in SHARED
        }
        copied = {
            name: map_tensors(value, copy_shared if name in COMMON else copy)
            for name, value in remaining_fields.items()
        }
        self.steps.append(RecordedStep(copied, history, first, last))

    def extend_history(self, vectors: list[Tensor], first: int, last: int) -> KeyHistory | None:
        """The strand of the last call, if this one goes on from it, grown by what is new; None if it does not."""
        step = self.steps[-1] if self.steps else None
        if not isinstance(step, RecordedStep) or not step.first <= first <= step.last <= last:
            return None
        known_vectors, overlap = step.history.read(first, step.last), step.last - first
        if len(known_vectors) != len(vectors) or any(
            not is_compatible(*both) for both in zip(known_vectors, vectors, strict=True)
        ):
            return None
        overlapping = [x[:, :, :overlap].detach() for x in vectors]
        new_vectors = [x[:, :, overlap:].detach() for x in vectors]
        rows = match_rows(known_vectors, overlapping)
        if rows is None:
            return None
        is_same_rows = len(rows) == len(known_vectors[0]) and bool((rows == torch.arange(len(rows))).all())
        if is_same_rows and step.history.end == step.last:
            for buffer, vector in zip(step.history.buffers, new_vectors, strict=True):
                buffer.grow(vector)
            return step.history
        return KeyHistory(tuple(VectorBuffer(copy(vector)) for vector in new_vectors), step.last, step.history, rows)

    @overload
    def __getitem__(self, index: int) -> Pattern: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pattern]: ...
    def __getitem__(self, index: int | slice) -> Pattern | list[Pattern]:
        steps = self.steps[index]
        return [whole_pattern(step) for step in steps] if isinstance(steps, list) else whole_pattern(steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Pattern]:
        return map(whole_pattern, self.steps)


def copy(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()


def whole_pattern(step: RecordedStep | Pattern) -> Pattern:
    return step.whole_pattern() if isinstance(step, RecordedStep) else step


def is_compatible(vectors: Tensor, other: Tensor) -> bool:
    """Whether vectors of two calls can be the same at all."""
    same_kind = vectors.dtype == other.dtype and vectors.device == other.device
    return same_kind and vectors.shape[1] == other.shape[1] and vectors.shape[3] == other.shape[3]


def match_rows(known_vectors: list[Tensor], vectors: list[Tensor]) -> Tensor | None:
    """For every row of this call, a row of the last one with the same vectors; None if one has none."""
    if not vectors[0].shape[2]:
        return torch.arange(len(vectors[0])) if len(vectors[0]) == len(known_vectors[0]) else None
    if all(len(a) == len(b) and torch.equal(a, b) for a, b in zip(known_vectors, vectors, strict=True)):
        return torch.arange(len(vectors[0]))
    rows = []
    for row in range(len(vectors[0])):
        same = (
            other
            for other in range(len(known_vectors[0]))
            if all(torch.equal(a[other], b[row]) for a, b in zip(known_vectors, vectors, strict=True))
        )
        if (match := next(same, None)) is None:
            return None
        rows.append(match)
    return torch.tensor(rows)
