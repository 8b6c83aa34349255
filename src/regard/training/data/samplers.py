"""Which examples stand together, and when."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import torch

from regard.text.plans import EpochPlan, LengthBuckets, generator
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


class WeightedSampler:
    """Examples of several sources, each source as often an epoch as its weight says, with others of like length.

    Of a weight's part behind the point so many are drawn, others in each epoch.
    """

    plan: Callable[[int], tuple[np.ndarray, EpochPlan]]
    """The examples of an epoch and their plan, of which the last two are kept."""

    def __init__(self, lengths: Sequence[np.ndarray], weights: Sequence[float], train: TrainRecipe) -> None:
        self.lengths: np.ndarray = np.concatenate(lengths)
        self.sizes: list[int] = [len(part) for part in lengths]
        self.weights: Sequence[float] = weights
        self.train: TrainRecipe = train
        self.plan = lru_cache(2)(self.epoch_plan)

    def epoch_plan(self, epoch: int) -> tuple[np.ndarray, EpochPlan]:
        numbers = np.concatenate([self.drawn(part, epoch) for part in range(len(self.sizes))])
        lengths, train = self.lengths[numbers], self.train
        others = lengths[:, 0] if lengths.shape[1] > 1 else None
        buckets = LengthBuckets(lengths[:, -1], others, tokens=train.batch_tokens, rows=train.batch_size)
        return numbers, buckets.plan(train.seed, epoch)

    def drawn(self, part: int, epoch: int) -> np.ndarray:
        """The examples of one source in an epoch, some of them several times."""
        size, whole = self.sizes[part], int(self.weights[part])
        numbers = sum(self.sizes[:part]) + np.arange(size)
        rest = round((self.weights[part] - whole) * size)
        some = np.sort(generator(self.train.seed, epoch, part).permutation(size)[:rest])
        return np.concatenate([np.tile(numbers, whole), numbers[some]])

    def count(self, epoch: int) -> int:
        return len(self.plan(epoch)[1])

    def rows(self, epoch: int, number: int) -> Sequence[int]:
        numbers, plan = self.plan(epoch)
        return numbers[plan[number]].tolist()


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
