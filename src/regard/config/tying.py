"""Which tables of words a memory network shares between its hops."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Tying:
    """Which of the tables of words serves where: for keys and values of each hop, for the question, for the answer.

    Tables that stories are remembered by come first.
    """

    keys: tuple[int, ...]
    values: tuple[int, ...]
    question: int
    answer: int

    @property
    def remembering(self) -> int:
        return 1 + max(*self.keys, *self.values)

    @property
    def tables(self) -> int:
        return 1 + max(*self.keys, *self.values, self.question, self.answer)


TYINGS: dict[str, Callable[[int], Tying]] = {
    "adjacent": lambda hops: Tying(tuple(range(hops)), tuple(range(1, hops + 1)), question=0, answer=hops),
    "layerwise": lambda hops: Tying((0,) * hops, (1,) * hops, question=2, answer=3),
}
"""Sukhbaatar et al. 2015, 2.2: the values of a hop are the keys of the next; or every hop is the same."""
