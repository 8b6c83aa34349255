"""A calculator: numbers are added digit by digit."""

from dataclasses import dataclass
from random import Random
from typing import Annotated, ClassVar

from regard.settings import Range
from regard.text.synthetic.task import Split


@dataclass(frozen=True)
class AdditionTask:
    """Two numbers of `digits` digits, and their sum: "0 4 7 + 1 2 5 =" and "2 7 1 0".

    Written from the lowest digit on, as on paper, each digit needs two of the numbers and a carry; `lowest_first=False`
    wants the highest first, which may depend on all of them.
    """

    digits: Annotated[int, Range(1, 12)] = 3
    lowest_first: bool = True
    objective: ClassVar[str] = "translate"
    suffix: ClassVar[str] = ".tsv"

    @classmethod
    def example(cls) -> "AdditionTask":
        return cls(digits=2)

    def draw(self, random: Random, split: Split) -> str:
        one, other = (random.randrange(10**self.digits) for _ in range(2))
        total = f"{one + other:0{self.digits + 1}d}"
        answer = reversed(total) if self.lowest_first else total
        return f"{self.spell(one)} + {self.spell(other)} =\t{' '.join(answer)}"

    def spell(self, number: int) -> str:
        return " ".join(f"{number:0{self.digits}d}")
