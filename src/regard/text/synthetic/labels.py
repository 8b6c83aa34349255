"""From a few labels to a sequence of that class."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from regard.text.synthetic.task import Length, Split, Symbols, symbols

STEPS: dict[str, tuple[int, ...]] = {
    "rising": (1,),
    "falling": (-1,),
    "steady": (0,),
    "swinging": (1, -1),
    "climbing": (2, -1),
}
"""How far each class of sequences goes through the alphabet from letter to letter, again and again."""


@dataclass(frozen=True)
class LabelTask:
    """Three labels, the class of a sequence, its first letter and its length, and the sequence: "falling d 4" and
    "d c b a".

    The first letter is any of `symbols`, after the last comes the first. The labels say everything and look like
    nothing of what is to be written; their combinations in valid and test are new.
    """

    symbols: Symbols = 16
    min_length: Length = 3
    max_length: Length = 9
    objective: ClassVar[str] = "translate"
    suffix: ClassVar[str] = ".tsv"

    @classmethod
    def example(cls) -> "LabelTask":
        return cls(symbols=12, max_length=9)

    def draw(self, random: Random, split: Split) -> str:
        kind, first = random.choice(list(STEPS)), random.choice(symbols(self.symbols))
        length = random.randint(self.min_length, max(self.min_length, self.max_length))
        return f"{kind} {first} {length}\t{' '.join(self.sequence(kind, first, length))}"

    def sequence(self, kind: str, first: str, length: int) -> list[str]:
        letters = symbols(self.symbols)
        at, steps, written = letters.index(first), STEPS[kind], [first]
        while len(written) < length:
            at = (at + steps[(len(written) - 1) % len(steps)]) % len(letters)
            written.append(letters[at])
        return written
