"""Batches for a model that learns to go on: stretches of one long text."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import torch

from regard.errors import lookup
from regard.text.cache import TokenTable
from regard.text.lines import DataError
from regard.text.plans import generator
from regard.text.training import Key, TrainingBatch, checked_part, pad_stretches

Stretches = tuple[np.ndarray, np.ndarray]
"""Where the windows of an epoch begin and end, in the order of their batches: the tokens from begin to end, both
included, of which all but the first are learnt."""


def straight_windows(size: int, context: int, rows: int, draw: np.random.Generator) -> Stretches:
    """One window after the other; every token but the first is learnt once."""
    starts = np.arange(0, size - 1, context)
    return starts, np.minimum(starts + context, size - 1)


def shuffled_windows(size: int, context: int, rows: int, draw: np.random.Generator) -> Stretches:
    """The same windows in any order."""
    starts, ends = straight_windows(size, context, rows, draw)
    order = draw.permutation(len(starts))
    return starts[order], ends[order]


def carried_windows(size: int, context: int, rows: int, draw: np.random.Generator) -> Stretches:
    """The text cut into as many rows as a batch has; each batch goes on where the last one ended."""
    row = -(-(size - 1) // rows)
    begin = np.arange(rows) * row
    starts = np.arange(0, row, context)[:, None] + begin
    ends = np.minimum(np.minimum(starts + context, begin + row), size - 1)
    return np.minimum(starts, ends).ravel(), ends.ravel()


def random_windows(size: int, context: int, rows: int, draw: np.random.Generator) -> Stretches:
    """Windows that begin anywhere, as in nanoGPT; as many as make up the length of the text, rounded up to batches."""
    count = -(-(size - 1) // (context * rows)) * rows
    starts = draw.integers(0, max(1, size - context), count)
    return starts, np.minimum(starts + context, size - 1)


Order = Callable[[int, int, int, np.random.Generator], Stretches]
"""A way through a text: from its size, the context, the rows and random numbers."""
ORDERS: dict[str, Order] = {
    "shuffled": shuffled_windows,
    "straight": straight_windows,
    "carried": carried_windows,
    "random": random_windows,
}
"""The ways through a text."""


class Windows:
    """Windows of a long text, `rows` at a time: a map from (epoch, i) to a batch with the column "text".

    A window has one token more than `context`: the model reads all but the last and learns all but the first. One that
    the end of the text cuts short is padded. `part` is (rank, world), as in TrainingBatches.
    """

    plan: Callable[[int], Stretches]
    """The windows of an epoch, of which the last two are kept."""

    def __init__(
        self,
        text: TokenTable | np.ndarray,
        *,
        context: int,
        rows: int,
        seed: int = 0,
        order: str = "shuffled",
        pad: int = 0,
        part: tuple[int, int] = (0, 1),
    ) -> None:
        self.text = text  # a table, rather than its tokens, goes to another process by name
        if len(self.tokens) < 2:
            raise DataError(
                f"a text of {len(self.tokens)} tokens: at least two are needed, one to read and one to learn"
            )
        self.order: Order = lookup(ORDERS, order, "order of windows")
        self.context = context
        self.rows = rows
        self.seed = seed
        self.pad = pad
        self.part: tuple[int, int] = checked_part(part)
        self.count: int = -(-len(self._plan(0)[0]) // rows)
        self.plan = lru_cache(maxsize=2)(self._plan)

    @property
    def tokens(self) -> np.ndarray:
        return self.text.tokens if isinstance(self.text, TokenTable) else self.text

    def __len__(self) -> int:
        """The batches of an epoch, any epoch."""
        return self.count

    def key(self, step: int) -> Key:
        """The epoch and the number in it of the batch with this number, counted through all epochs."""
        return divmod(step, len(self))

    def __getitem__(self, key: Key) -> TrainingBatch:
        epoch, batch = key
        if not 0 <= batch < len(self):
            raise IndexError(f"batch {batch} of {len(self)}")
        here = slice(batch * self.rows, (batch + 1) * self.rows)
        starts, ends = (bounds[here] for bounds in self.plan(epoch))
        rank, world = self.part
        own_starts, lengths = starts[rank::world], (ends - starts + 1)[rank::world]
        column = pad_stretches(self.tokens, own_starts, np.where(lengths > 1, lengths, 0), self.pad, least=2)
        return TrainingBatch({"text": column}, torch.from_numpy(own_starts.copy()), int((ends - starts).sum()))

    def _plan(self, epoch: int) -> Stretches:
        return self.order(len(self.tokens), self.context, self.rows, generator(self.seed, epoch))

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "plan"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self.plan = lru_cache(maxsize=2)(self._plan)
