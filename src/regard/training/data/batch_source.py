"""Batches by their number: a pure function, so that there is nothing to save."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import torch

from regard.training.objectives.objective import ExampleBatch, Objective, Row

ExampleKey = Any
"""What a sampler calls an example and the source beside it knows: a number, or where it begins and ends."""


@runtime_checkable
class ExampleSource(Protocol):
    """Examples by what an order calls them: their numbers, or where they begin and end."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: ExampleKey, /) -> Row: ...


@runtime_checkable
class BatchSampler(Protocol):
    """Which examples are in which batch of which epoch."""

    def count(self, epoch: int) -> int:
        """The batches of an epoch."""
        ...

    def rows(self, epoch: int, number: int) -> Sequence[ExampleKey]: ...


class BatchSource:
    """The batches of a run, one after another, epoch after epoch; some are made beforehand by other threads."""

    def __init__(
        self,
        examples: ExampleSource,
        sampler: BatchSampler,
        objective: Objective,
        *,
        seed: int,
        part: tuple[int, int] = (0, 1),
        workers: int = 0,
    ) -> None:
        """`part` is (rank, world): a process gets every world-th row of a batch."""
        self.examples = examples
        self.sampler = sampler
        self.objective = objective
        self.seed = seed
        self.part = part
        self.pool: ThreadPoolExecutor | None = ThreadPoolExecutor(workers) if workers else None
        self.ahead: int = 2 * workers
        self.waiting: dict[int, Future[ExampleBatch]] = {}
        self.starts: list[int] = [0]  # the number of the first batch of every epoch

    def __getitem__(self, number: int) -> ExampleBatch:
        """Batch 0, 1, … of the whole run."""
        if self.pool is None:
            return self.make(number)
        for near in range(number, number + self.ahead + 1):
            if near not in self.waiting:
                self.waiting[near] = self.pool.submit(self.make, near, *self.epoch_and_number(near))
        for old in [near for near in self.waiting if near < number]:
            self.waiting.pop(old).cancel()
        return self.waiting.pop(number).result()

    def epoch_and_number(self, number: int) -> tuple[int, int]:
        """The epoch of a batch, and its number in it."""
        while self.starts[-1] <= number:
            self.starts.append(self.starts[-1] + self.sampler.count(len(self.starts) - 1))
        epoch = next(epoch for epoch in reversed(range(len(self.starts))) if self.starts[epoch] <= number)
        return epoch, number - self.starts[epoch]

    def make(self, number: int, epoch: int | None = None, number_in_epoch: int = 0) -> ExampleBatch:
        if epoch is None:
            epoch, number_in_epoch = self.epoch_and_number(number)
        rank, world = self.part
        all_rows = self.sampler.rows(epoch, number_in_epoch)
        own_rows = all_rows[rank::world]
        rows = [self.examples[row] for row in own_rows or all_rows[:1]]
        batch = self.objective.batch(rows, torch.Generator().manual_seed(mix_seeds(self.seed, number, rank)))
        # A process for which no row is left does what the others do, and it counts for nothing.
        return batch if own_rows else replace(batch, count=0, tokens=0)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(cancel_futures=True)


def mix_seeds(*numbers: int) -> int:
    """One seed from several numbers, near ones far apart: splitmix64, Steele et al. 2014."""
    all_rows = (1 << 64) - 1
    state = 0
    for number in numbers:
        state = (state ^ number) + 0x9E3779B97F4A7C15 & all_rows
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & all_rows
        state = (state ^ state >> 27) * 0x94D049BB133111EB & all_rows
        state ^= state >> 31
    return state >> 1
