"""Which examples stand together, and when."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import torch

from regard.text.plans import EpochPlan, LengthBuckets
from regard.training.data.batch_source import mix_seeds
from regard.training.objectives import Objective, Row
from regard.training.objectives.objective import ExampleBatch
from regard.training.recipe.recipe import TrainRecipe


class BucketSampler:
    """Every example once an epoch, with others of like length."""

    buckets: LengthBuckets
    plan: Callable[[int], EpochPlan]
    """The plan of an epoch, of which the last two are kept."""

    def __init__(self, lengths: np.ndarray, train: TrainRecipe) -> None:
        others = lengths[:, 0] if lengths.shape[1] > 1 else None
        self.buckets = LengthBuckets(lengths[:, -1], others, tokens=train.batch_tokens, rows=train.batch_size)
        self.plan = lru_cache(2)(lambda epoch: self.buckets.plan(train.seed, epoch))

    def count(self, epoch: int) -> int:
        return len(self.buckets)

    def rows(self, epoch: int, number: int) -> Sequence[int]:
        return self.plan(epoch)[number].tolist()


def valid_batches(rows: Sequence[Row], objective: Objective, *, batch_tokens: int, seed: int) -> list[ExampleBatch]:
    """Examples of the valid set, as batches, the same every time; the longest first."""
    sizes = [sum(len(part) for part in rows[number]) for number in range(len(rows))]
    waiting = sorted(range(len(rows)), key=lambda number: (-sizes[number], number))
    batches: list[ExampleBatch] = []
    while waiting:
        count = max(1, batch_tokens // max(1, sizes[waiting[0]]))
        batch_numbers, waiting = waiting[:count], waiting[count:]
        generator = torch.Generator().manual_seed(mix_seeds(seed, len(batches)))
        batches.append(objective.batch([rows[number] for number in batch_numbers], generator))
    return batches
