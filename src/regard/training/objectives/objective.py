"""What every objective can do."""

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from regard.families.recipe import DataSizes
from regard.models import Model

Row = tuple[np.ndarray, ...]
"""One example: its token numbers, in one array or several."""


SegmentMemory = Mapping[str, Tensor]
"""What a model takes along from one batch to the next; saved with the state of a training."""


@dataclass(frozen=True)
class LossSums:
    """Sums over the positions of a batch: what is learned from, and the cross-entropy without smoothing or gradient."""

    total: Tensor
    cross_entropy: Tensor
    correct: Tensor | None = None  # positions where the likeliest answer was the right one
    memory: "SegmentMemory | None" = None  # for the batch after this one


@runtime_checkable
class ExampleBatch(Protocol):
    """Texts as a batch, a dataclass. `count` is how many positions are learned from, `tokens` how many are read."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def count(self) -> int: ...

    @property
    def tokens(self) -> int: ...

    def to(self, device: torch.device) -> "ExampleBatch": ...


@runtime_checkable
class ContinuedBatch(ExampleBatch, Protocol):
    """A batch that may go on where the one before it ended."""

    def with_memory(self, memory: SegmentMemory) -> ExampleBatch: ...


@dataclass(frozen=True)
class ObjectiveExample:
    """A small task: an objective, texts to learn from, and what they ask of a model."""

    objective: "Objective"
    rows: list[Row]
    sizes: DataSizes


@runtime_checkable
class Objective(Protocol):
    """What a model learns to do: how texts become a batch, and how wrong the model is about it.

    `kinds` are the models that can learn it, `metrics` what the best of them may be chosen by.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    metrics: ClassVar[tuple[str, ...]]

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        """A small task for this kind of model, for tests."""
        ...

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> ExampleBatch:
        """Texts side by side. What is random about it comes from the generator."""
        ...

    def loss(self, model: Model, batch: Any, smoothing: float = 0.0) -> LossSums:
        """How wrong the model is about a batch that this objective made, and no other kind."""
        ...


Moved = TypeVar("Moved")


class DeviceBatch:
    """A batch that goes to a device."""

    def to(self: Moved, device: torch.device) -> Moved:
        moved = {key: value.to(device) if isinstance(value, Tensor) else value for key, value in vars(self).items()}
        return type(self)(**moved)


def pad_rows(rows: Sequence[np.ndarray], pad: int = 0) -> tuple[Tensor, Tensor | None]:
    """Rows side by side, and their attention mask; None where nothing is padded."""
    lengths = np.array([len(row) for row in rows])
    longest = int(lengths.max())
    tokens = np.full((len(rows), longest), pad, dtype=np.int64)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = row
    if int(lengths.min()) == longest:
        return torch.from_numpy(tokens), None
    return torch.from_numpy(tokens), torch.from_numpy(np.arange(longest) < lengths[:, None])
