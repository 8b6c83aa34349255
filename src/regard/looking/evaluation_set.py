"""What a model is asked, so that its heads can be compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.models import Model

if TYPE_CHECKING:
    from regard.training.objectives.objective import ExampleBatch, Objective

Batch = Any
"""Whatever the caller's model reads: the `loss` and the `count` beside it look into it, and nobody else."""
Scores = dict[str, Tensor]
"""A number for every head, by layer: {"encoder.0.self": (heads,)}."""


@dataclass(frozen=True)
class EvaluationSet:
    """Batches, and how wrong a model is about one of them.

    `loss(model, batch)` is summed over the batch; no example's part in it depends on the others. `count(batch)` says
    over how many things it is summed, tokens for example: a mean is of those.
    """

    batches: Sequence[Batch]
    loss: Callable[[Any, Batch], Tensor]
    count: Callable[[Batch], int] = len

    def __post_init__(self) -> None:
        if not self.total:
            raise RegardError("there is nothing to ask the model: no batch has anything in it")

    @classmethod
    def of(cls, objective: "Objective", batches: "Sequence[ExampleBatch]") -> "EvaluationSet":
        """What a model learns to do, asked of one that has learned it."""

        def loss(model: Model, batch: "ExampleBatch") -> Tensor:
            return objective.loss(model, batch.to(next(model.parameters()).device)).total

        return cls(batches, loss, lambda batch: batch.count)

    @property
    def total(self) -> int:
        return sum(map(self.count, self.batches))

    @torch.no_grad()
    def mean(self, model: nn.Module) -> float:
        """The mean loss."""
        return sum(float(self.loss(model, batch)) for batch in self.batches) / self.total
