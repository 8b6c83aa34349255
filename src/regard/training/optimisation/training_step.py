"""One step: gradients of some batches, and the weights moved a little against them."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch import nn
from torch.autograd.graph import increment_version

from regard.training.objectives.objective import ExampleBatch, SegmentMemory
from regard.training.optimisation.learner import LearnerLosses
from regard.training.optimisation.optimiser import clip_gradients
from regard.training.run.processes import World

LearnerCall = Callable[[ExampleBatch, SegmentMemory | None], LearnerLosses]
"""A Learner, or what wraps it."""


@dataclass(frozen=True)
class StepResult:
    """What a step was like: sums over its positions, and the size of its gradient. `skipped`: that was no number.

    `carried` is what the last batch leaves behind for the one after it; nothing where it may be no number either.
    """

    loss: float
    cross_entropy: float
    count: int
    tokens: int
    norm: float
    skipped: bool
    memory: SegmentMemory | None = None


def training_step(
    learner: LearnerCall,
    batches: Sequence[ExampleBatch],
    optimiser: torch.optim.Optimizer,
    *,
    learning_rate: float,
    max_norm: float = 0.0,
    world: World = World(),
    memory: SegmentMemory | None = None,
) -> StepResult:
    """Learn from some batches as if they were one: every position counts the same, in whichever batch or process."""
    count, tokens = world.sums([sum(batch.count for batch in batches), sum(batch.tokens for batch in batches)])
    weights = [weight for group in optimiser.param_groups for weight in group["params"]]
    optimiser.zero_grad(set_to_none=True)
    total = cross_entropy = 0.0
    for number, batch in enumerate(batches):
        last = number == len(batches) - 1
        with nullcontext() if last else without_synchronisation(learner):
            loss, batch_cross_entropy, memory = learner(batch, memory)
            # The processes' gradients are averaged, hence times their number.
            (loss * (world.size / max(count, 1) if batch.count else 0.0)).backward()
        if batch.count:
            total, cross_entropy = total + float(loss.detach()), cross_entropy + float(batch_cross_entropy)
    norm = clip_gradients(weights, max_norm)
    total, cross_entropy = world.sums([total, cross_entropy])
    size = float(norm)
    skipped = not (math.isfinite(size) and math.isfinite(total))
    if not skipped:
        for group in optimiser.param_groups:
            group["lr"] = learning_rate
        optimiser.step()
        increment_version(
            [weight for weight in weights if type(weight) is nn.Parameter]
        )  # the fused kernel does not, and whoever keeps copies would not know they are old
    return StepResult(total, cross_entropy, int(count), int(tokens), size, skipped, None if skipped else memory)


def without_synchronisation(learner: LearnerCall) -> AbstractContextManager[None]:
    """Gradients stay in this process for now."""
    return learner.no_sync() if isinstance(learner, nn.parallel.DistributedDataParallel) else nullcontext()
