"""What every synthetic task can do: draw a line of text, as a file of its objective has it."""

from random import Random
from typing import Annotated, ClassVar, Literal, Protocol, runtime_checkable

from regard.settings import Range

Split = Literal["train", "valid", "test"]

Length = Annotated[int, Range(1, 1000)]
Symbols = Annotated[int, Range(2, 1000)]


@runtime_checkable
class SyntheticTask(Protocol):
    """Texts without end that somebody could learn something from; its settings are those of its constructor.

    `objective` is what learns it. A line is a pair with a tab between, or one text: `suffix` is the ending of its file.
    """

    objective: ClassVar[str]
    suffix: ClassVar[str]

    @classmethod
    def example(cls) -> "SyntheticTask":
        """A small one, for tests."""
        ...

    def draw(self, random: Random, split: Split) -> str:
        """A line of a split; most tasks draw alike for all, and lines that came before are drawn again."""
        ...


def symbols(count: int) -> list[str]:
    """So many words of one letter, of two if there are more: a, b, …, z, aa, ab, …"""
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [*letters, *(first + second for first in letters for second in letters), *map(str, range(count))]
    return names[:count]
