"""Lines that were there before, found in bounded memory."""

import hashlib
from collections.abc import Iterator

import numpy as np

MOST = 4 << 20  # sums that are remembered: 32 MiB, and twice that while they are sorted
CHUNK = 1 << 16


class DuplicateLines:
    """Remembers a sum of 64 bits of each line. When there are too many, only lines whose sum is even stay watched,
    then those whose sum can be halved twice, and so on: `count` is an estimate then, and `share` says from how many.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.share: int = 1
        self.duplicates: int = 0
        self.runs: list[np.ndarray] = []  # sorted, each much longer than the next
        self.waiting: list[tuple[int, int]] = []

    def add(self, line: bytes, number: int) -> Iterator[int]:
        """Take a line; gives the numbers of lines found to be repeats, of this one and of earlier ones."""
        self.waiting.append((int.from_bytes(hashlib.blake2b(line, digest_size=8).digest(), "little"), number))
        if len(self.waiting) >= CHUNK:
            yield from self.flush()

    def flush(self) -> Iterator[int]:
        """Repeats among the lines that wait."""
        sums = np.array([line_sum for line_sum, _ in self.waiting], dtype=np.uint64)
        numbers = np.array([number for _, number in self.waiting], dtype=np.int64)
        self.waiting = []
        watched = sums % np.uint64(self.share) == 0
        sums, numbers = sums[watched], numbers[watched]
        distinct, first = np.unique(sums, return_index=True)
        is_new = np.ones(len(distinct), dtype=bool)
        for run in self.runs:
            positions = np.minimum(np.searchsorted(run, distinct), len(run) - 1)
            is_new &= run[positions] != distinct
        original = np.zeros(len(sums), dtype=bool)
        original[first[is_new]] = True
        self.duplicates += int((~original).sum())
        self.remember(distinct[is_new])
        yield from numbers[~original].tolist()

    def remember(self, sums: np.ndarray) -> None:
        while len(sums) and self.runs and len(self.runs[-1]) < 4 * len(sums):
            sums = np.sort(np.concatenate([self.runs.pop(), sums]), kind="stable")
        if len(sums):
            self.runs.append(sums)
        while sum(len(run) for run in self.runs) > self.most:
            self.share *= 2
            self.duplicates //= 2
            self.runs = [run for run in (run[run % np.uint64(self.share) == 0] for run in self.runs) if len(run)]

    @property
    def count(self) -> int:
        """How many lines repeat an earlier one."""
        return self.duplicates * self.share
