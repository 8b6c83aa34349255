"""Texts that a language model of zero, one or two layers can foretell: Elhage et al. 2021."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from regard.text.synthetic.task import Length, Split, Symbols, symbols

SHARES = (0.6, 0.25, 0.1, 0.05)
"""How likely the words are that may follow a word."""
START, ASK = "^", "?"


def followers(count: int) -> dict[str, list[str]]:
    """The words that may follow each of the first `count` words, the likeliest first: the same in every text."""
    words, random = symbols(count), Random(count)
    return {word: random.sample(words, min(len(SHARES), count)) for word in words}


@dataclass(frozen=True)
class BigramTask:
    """Each word depends on the one before it alone: all that a model without layers can know."""

    symbols: Symbols = 24
    length: Length = 31
    objective: ClassVar[str] = "next-token"
    suffix: ClassVar[str] = ".txt"

    @classmethod
    def example(cls) -> "BigramTask":
        return cls(symbols=6, length=8)

    def draw(self, random: Random, split: Split) -> str:
        table = followers(self.symbols)
        words = [random.choice(symbols(self.symbols))]
        while len(words) < self.length:
            after = table[words[-1]]
            words += random.choices(after, SHARES[: len(after)])
        return f"{START} {' '.join(words)}"


@dataclass(frozen=True)
class SkipTrigramTask:
    """Any words, of which the first names a topic; after each "?" stands the word of that topic.

    "topic … ? → answer" is a skip-trigram: two words that need not be neighbours tell a third. One layer can look back
    for the topic; nothing that stands beside the answer tells it.
    """

    symbols: Symbols = 24
    length: Length = 31
    objective: ClassVar[str] = "next-token"
    suffix: ClassVar[str] = ".txt"

    @classmethod
    def example(cls) -> "SkipTrigramTask":
        return cls(symbols=6, length=12)

    def draw(self, random: Random, split: Split) -> str:
        topic, words = random.randrange(self.symbols), symbols(self.symbols)
        line = [words[topic].upper()]
        while len(line) < self.length - 1:
            line += [ASK, self.answer(topic)] if random.random() < 0.25 else [random.choice(words)]
        return f"{START} {' '.join([*line, random.choice(words)][: self.length])}"

    def answer(self, topic: int) -> str:
        """The word of a topic: another letter than that of its name."""
        return symbols(self.symbols)[(5 * topic + 3) % self.symbols]


@dataclass(frozen=True)
class RepeatTask:
    """Random words, from `min_period` to `max_period` of them and none twice, again and again: what followed last time
    follows again.

    How long it takes to come back differs from text to text, so that nothing tells the next word but what stood behind
    this one before: induction.
    """

    symbols: Symbols = 24
    length: Length = 31
    min_period: Length = 6
    max_period: Length = 15
    objective: ClassVar[str] = "next-token"
    suffix: ClassVar[str] = ".txt"

    @classmethod
    def example(cls) -> "RepeatTask":
        return cls(symbols=8, length=12, min_period=3, max_period=5)

    def draw(self, random: Random, split: Split) -> str:
        period = random.randint(self.min_period, max(self.min_period, self.max_period))
        words = random.sample(symbols(self.symbols), min(period, self.symbols))
        return f"{START} {' '.join(words[place % len(words)] for place in range(self.length))}"
