"""Which of a set does not belong."""

from dataclasses import dataclass
from random import Random
from typing import Annotated, ClassVar

from regard.settings import Range
from regard.text.synthetic.task import Split

SETS = {
    "animals": ["dog", "cat", "horse", "cow", "sheep", "goat", "fox", "bear"],
    "colours": ["red", "blue", "green", "yellow", "black", "white", "brown", "grey"],
    "fruits": ["apple", "pear", "plum", "cherry", "grape", "lemon", "peach", "fig"],
    "tools": ["hammer", "saw", "drill", "file", "axe", "pliers", "wrench", "chisel"],
    "rivers": ["rhine", "danube", "nile", "amazon", "volga", "thames", "seine", "tiber"],
    "clothes": ["shirt", "coat", "hat", "scarf", "glove", "shoe", "sock", "belt"],
}


@dataclass(frozen=True)
class AnomalyTask:
    """`size` words in any order, all of one kind but for one: that one is the label. Nobody says which kinds there are.

    After the set anomaly detection of Lippe 2022.
    """

    size: Annotated[int, Range(3, 9)] = 6
    objective: ClassVar[str] = "classify"
    suffix: ClassVar[str] = ".tsv"

    @classmethod
    def example(cls) -> "AnomalyTask":
        return cls(size=4)

    def draw(self, random: Random, split: Split) -> str:
        kind, other = random.sample(list(SETS), 2)
        odd = random.choice(SETS[other])
        words = [*random.sample(SETS[kind], self.size - 1), odd]
        random.shuffle(words)
        return f"{' '.join(words)}\t{odd}"
