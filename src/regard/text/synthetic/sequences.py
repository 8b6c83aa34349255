"""What becomes of a sequence of letters: itself, itself backwards, itself in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from regard.text.synthetic.task import Length, Split, Symbols, symbols


@dataclass(frozen=True)
class SequenceTask:
    """Any letters of `symbols`, from `min_length` to `max_length` of them, and what is to be made of them."""

    symbols: Symbols = 16
    min_length: Length = 4
    max_length: Length = 12
    objective: ClassVar[str] = "translate"
    suffix: ClassVar[str] = ".tsv"

    @classmethod
    def example(cls) -> "SequenceTask":
        return cls(symbols=5, min_length=3, max_length=6)

    def draw(self, random: Random, split: Split) -> str:
        length = random.randint(self.min_length, max(self.min_length, self.max_length))
        source = random.choices(symbols(self.symbols), k=length)
        return f"{' '.join(source)}\t{' '.join(self.answer(source))}"

    def answer(self, source: Sequence[str]) -> list[str]:
        raise NotImplementedError


class CopyTask(SequenceTask):
    """The same letters again: Rush 2018."""

    def answer(self, source: Sequence[str]) -> list[str]:
        return list(source)


class ReverseTask(SequenceTask):
    """The same letters backwards."""

    def answer(self, source: Sequence[str]) -> list[str]:
        return list(reversed(source))


class SortTask(SequenceTask):
    """The same letters in the order of the alphabet."""

    def answer(self, source: Sequence[str]) -> list[str]:
        order = symbols(self.symbols)
        return sorted(source, key=order.index)
