"""The animal didn't cross the road because it was too tired, or too wide: what does "it" mean?"""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from regard.text.synthetic.task import Split

ANIMALS = ["animal", "dog", "cat", "horse", "cow", "sheep", "goat", "fox", "bear", "mouse", "bird", "pig"]
PLACES = ["road", "river", "bridge", "field", "valley", "lake", "forest", "path", "meadow", "alley", "moor", "street"]
FEELINGS = ["tired", "hungry", "scared", "sick", "weak", "lazy", "thirsty", "nervous", "sleepy", "shy"]
SHAPES = ["wide", "deep", "steep", "muddy", "flooded", "long", "icy", "rocky", "narrow", "slippery"]
"""What an animal can be, and a place."""
VERBS = {"cross": "crossed", "reach": "reached", "enter": "entered", "leave": "left", "pass": "passed"}
PRONOUN, NOT_ASKED = "it", "-"
SPLITS: tuple[Split, ...] = ("test", "valid", "train", "train", "train")


def split_of(noun: str, adjective: str) -> Split:
    """Where a noun and an adjective may meet: a fifth of all pairs in test, a fifth in valid, the others in train."""
    nouns = ANIMALS if noun in ANIMALS else PLACES
    adjectives = FEELINGS if adjective in FEELINGS else SHAPES
    return SPLITS[(nouns.index(noun) + adjectives.index(adjective)) % len(SPLITS)]


def sentence(animal: str, place: str, adjective: str, verb: str = "cross", *, swapped: bool = False) -> str:
    """A sentence; where it is swapped, the place comes first."""
    active, passive = f"The {animal} didn't {verb} the {place}", f"The {place} wasn't {VERBS[verb]} by the {animal}"
    return f"{passive if swapped else active} because {PRONOUN} was too {adjective}."


@dataclass(frozen=True)
class PronounTask:
    """Sentences with an animal, a place and "it", which is tagged with the noun that it means.

    The adjective at the end tells which; each noun comes first in half of the sentences. The adjective of a valid or
    test sentence was met with neither of its two nouns in training. `shuffled` tags what is learned from with any noun,
    for comparison.
    """

    shuffled: bool = False
    objective: ClassVar[str] = "tag"
    suffix: ClassVar[str] = ".tsv"

    @classmethod
    def example(cls) -> "PronounTask":
        return cls()

    def draw(self, random: Random, split: Split) -> str:
        while True:
            animal, place = random.choice(ANIMALS), random.choice(PLACES)
            meant, adjectives = random.choice([(animal, FEELINGS), (place, SHAPES)])
            adjective = random.choice(adjectives)
            if split_of(animal, adjective) == split_of(place, adjective) == split:
                break
        text = sentence(animal, place, adjective, random.choice(list(VERBS)), swapped=random.random() < 0.5)
        tag = random.choice([*ANIMALS, *PLACES]) if self.shuffled and split == "train" else meant
        return f"{text}\t{' '.join(tag if word == PRONOUN else NOT_ASKED for word in text.split())}"
