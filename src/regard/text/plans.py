"""Which samples stand together, and when: an epoch as a pure function of its seed and number.

Samples are put into buckets by length, and what a batch holds is cut from the order of the buckets. So the number of
batches and their sizes are the same in every epoch; who is in them, and the order of the batches, is drawn anew.
"""

from dataclasses import dataclass

import numpy as np

STEP = 1.15  # how much longer the texts of the next bucket are
SPREAD = 0.15  # how far a text may stray among those with longer and shorter partners, as a share of their length


def generator(*key: int) -> np.random.Generator:
    """Random numbers that depend on these numbers and on nothing else."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([number % (1 << 64) for number in key])))


@dataclass(frozen=True, eq=False)
class EpochPlan:
    """The batches of an epoch: batch i holds the samples order[starts[i] : starts[i + 1]] of `order`."""

    order: np.ndarray
    starts: np.ndarray
    batch_order: np.ndarray

    def __len__(self) -> int:
        return len(self.batch_order)

    def __getitem__(self, batch: int) -> np.ndarray:
        if not 0 <= batch < len(self):
            raise IndexError(f"batch {batch} of {len(self)}")
        turn = self.batch_order[batch]
        return self.order[self.starts[turn] : self.starts[turn + 1]]


class LengthBuckets:
    """Samples by length. `lengths` are those that are counted, `others` those of what goes along with them."""

    def __init__(self, lengths: np.ndarray, others: np.ndarray | None, *, tokens: int = 0, rows: int = 0) -> None:
        self.others: np.ndarray | None = None if others is None else others.astype(np.float32)
        counted = lengths if others is None else np.maximum(lengths, -(-others // 2))
        edges = bucket_bounds(int(counted.max(initial=1)))
        self.bucket: np.ndarray = np.searchsorted(edges, counted).astype(np.int32)
        longest = edges[np.sort(self.bucket)]
        self.starts: np.ndarray = (
            batch_starts(longest, tokens) if not rows else np.append(np.arange(0, len(lengths), rows), len(lengths))
        )

    def __len__(self) -> int:
        """The batches of an epoch."""
        return len(self.starts) - 1

    def plan(self, seed: int, epoch: int) -> EpochPlan:
        """An epoch: every sample once."""
        draw = generator(seed, epoch)
        noise = draw.random(len(self.bucket), dtype=np.float32)
        if self.others is not None:
            # up in one bucket and down in the next, so that a batch at the seam has partners of like length
            noise = self.others * (1 + SPREAD * noise) * (1 - self.bucket % 2 * 2)
        return EpochPlan(np.lexsort((noise, self.bucket)), self.starts, draw.permutation(len(self)))


def bucket_bounds(longest: int) -> np.ndarray:
    """The longest text of each bucket: 1, 2, 3 … and from some point on a fixed share more."""
    edges = [1]
    while edges[-1] < longest:
        edges.append(max(edges[-1] + 1, int(edges[-1] * STEP)))
    return np.array(edges)


def batch_starts(longest: np.ndarray, tokens: int) -> np.ndarray:
    """Where batches begin, and the end: as many rows at a time as fit, each as long as the bucket of the last."""
    starts = [0]
    while (start := starts[-1]) < len(longest):
        here = longest[start : start + max(1, tokens // int(longest[start]))]
        fits = int(np.searchsorted(here * np.arange(1, len(here) + 1), tokens, side="right"))
        starts.append(start + max(1, fits))
    return np.array(starts)
