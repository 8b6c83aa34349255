"""Batches to train on: batch i of an epoch is a pure function of the seed, the epoch and i."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from regard.errors import RegardError
from regard.shapes import AttentionMask, Tokens
from regard.text.cache import TokenTable, read_mapped
from regard.text.lines import DataError
from regard.text.plans import EpochPlan, LengthBuckets

Key = tuple[int, int]
"""An epoch, and the number of a batch in it."""


@dataclass(frozen=True, eq=False)
class Column:
    """One text of each sample, padded to the longest on the right."""

    tokens: Tokens
    attention_mask: AttentionMask

    def to(self, device: torch.device | str) -> "Column":
        return Column(self.tokens.to(device, non_blocking=True), self.attention_mask.to(device, non_blocking=True))


@dataclass(frozen=True, eq=False)
class TrainingBatch:
    """The columns of some samples, and the samples' numbers.

    `total` counts the tokens that are learnt from in the whole batch, of which a process may hold a part. A process
    for which no sample is left gets one row of which nothing is real, and no numbers.
    """

    columns: dict[str, Column]
    samples: Tensor
    total: int

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def to(self, device: torch.device | str) -> "TrainingBatch":
        return TrainingBatch(
            {name: column.to(device) for name, column in self.columns.items()}, self.samples, self.total
        )


class TrainingBatches:
    """Samples of like length together, every sample once an epoch: a map from (epoch, i) to a batch.

    With `tokens`, a batch holds as many samples as keep rows x longest text within it, padding counted; a sample that
    is longer has a batch of its own. The column `count` is counted, the last one unless named; any other column may
    take twice as much. With `rows` it holds so many samples. `samples` are those to use, if not all.

    `part` is (rank, world): a process gets every world-th row of a batch that does not depend on how many there are.
    """

    buckets: LengthBuckets
    plan: Callable[[int], EpochPlan]
    """The plan of an epoch, of which the last two are kept."""

    def __init__(
        self,
        tables: Mapping[str, TokenTable],
        *,
        tokens: int = 0,
        rows: int = 0,
        seed: int = 0,
        pad: int | Mapping[str, int] = 0,
        count: str = "",
        samples: np.ndarray | None = None,
        part: tuple[int, int] = (0, 1),
    ) -> None:
        if (tokens > 0) == (rows > 0):
            raise RegardError(f"a batch has so many tokens or so many rows: one of them expected, got {tokens}, {rows}")
        self.tables: dict[str, TokenTable] = dict(tables)
        self.seed = seed
        self.part: tuple[int, int] = checked_part(part)
        self.pad: dict[str, int] = {name: pad if isinstance(pad, int) else pad.get(name, 0) for name in tables}
        sizes = {len(table) for table in tables.values()}
        if len(sizes) != 1:
            counts = ", ".join(f"{name} has {len(table)}" for name, table in tables.items())
            raise DataError(f"columns of one length expected: {counts}")
        self.count: str = count or list(tables)[-1]
        self.samples: np.ndarray = np.arange(sizes.pop()) if samples is None else np.asarray(samples)
        if len(self.samples) == 0:
            raise DataError("no sample to make a batch of")
        self.lengths: dict[str, np.ndarray] = {
            name: table.lengths[self.samples].astype(np.int32) for name, table in tables.items()
        }
        others = [lengths for name, lengths in self.lengths.items() if name != self.count]
        longest = np.maximum.reduce(others) if others else None
        self.buckets = LengthBuckets(self.lengths[self.count], longest, tokens=tokens, rows=rows)
        self.plan = lru_cache(maxsize=2)(self._plan)

    def __len__(self) -> int:
        """The batches of an epoch, any epoch."""
        return len(self.buckets)

    def key(self, step: int) -> Key:
        """The epoch and the number in it of the batch with this number, counted through all epochs."""
        return divmod(step, len(self))

    def __getitem__(self, key: Key) -> TrainingBatch:
        epoch, batch = key
        indices = self.plan(epoch)[batch]
        rank, world = self.part
        own_samples = self.samples[indices[rank::world]]
        columns = {name: self.column(name, own_samples) for name in self.tables}
        return TrainingBatch(
            columns, torch.from_numpy(own_samples.copy()), int(self.lengths[self.count][indices].sum())
        )

    def column(self, name: str, samples: np.ndarray) -> Column:
        table = self.tables[name]
        starts = np.asarray(table.offsets[samples])
        return pad_stretches(table.tokens, starts, np.asarray(table.offsets[samples + 1]) - starts, self.pad[name])

    def _plan(self, epoch: int) -> EpochPlan:
        return self.buckets.plan(self.seed, epoch)

    def padding(self, epoch: int = 0) -> dict[str, float]:
        """The share of each column that is padding."""
        plan = self.plan(epoch)
        padded_counts = dict.fromkeys(self.tables, 0)
        for batch in range(len(plan)):
            indices = plan[batch]
            for name, lengths in self.lengths.items():
                padded_counts[name] += len(indices) * int(lengths[indices].max())
        return {name: 1 - int(self.lengths[name].sum()) / max(1, padded_counts[name]) for name in self.tables}

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "plan"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self.plan = lru_cache(maxsize=2)(self._plan)


def checked_part(part: tuple[int, int]) -> tuple[int, int]:
    rank, world = part
    if not 0 <= rank < world:
        raise RegardError(f"part {part}: a rank below the number of processes expected")
    return rank, world


def pad_stretches(tokens: np.ndarray, starts: np.ndarray, lengths: np.ndarray, pad: int, least: int = 1) -> Column:
    """Stretches of a long row of tokens, side by side; at least one row, and `least` columns."""
    if len(starts) == 0:
        starts = lengths = np.zeros(1, np.int64)
    steps = np.arange(max(least, int(lengths.max())))
    attention_mask = steps < lengths[:, None]
    indices = np.where(attention_mask, starts[:, None] + steps, 0)
    values = read_mapped(tokens, indices).astype(np.int64) if len(tokens) else np.zeros(indices.shape, np.int64)
    return Column(torch.from_numpy(np.where(attention_mask, values, pad)), torch.from_numpy(attention_mask))


def too_long_samples(tables: Mapping[str, TokenTable], longest: int | Mapping[str, int]) -> np.ndarray:
    """The numbers of the samples that have more tokens in some column than `longest`."""
    limits = {name: longest if isinstance(longest, int) else longest.get(name) for name in tables}
    over: Sequence[np.ndarray] = [
        table.lengths > limit for name, table in tables.items() if (limit := limits[name]) is not None
    ]
    return np.flatnonzero(np.logical_or.reduce(over)) if over else np.zeros(0, np.int64)
