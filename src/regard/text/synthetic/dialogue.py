"""Small talk: what one says, and an answer that takes up what was said."""

from dataclasses import dataclass
from random import Random
from typing import ClassVar

from regard.text.synthetic.task import Split

SYLLABLES = [consonant + vowel for consonant in "bdfghklmnprstvz" for vowel in "aeiou"]
PLACES = ["Rome", "Oslo", "Lima", "Cairo", "Delhi", "Paris", "Kyoto", "Quito", "Vienna", "Dublin"]
THINGS = ["book", "bicycle", "hat", "piano", "boat", "garden", "clock", "horse", "kite", "coat"]
COLOURS = ["red", "green", "blue", "yellow", "black", "white"]
TURNS = [
    ("my name is {name} .", "hello {name} , how are you ?"),
    ("i am {name} and i live in {place} .", "nice to meet you , {name} . do you like {place} ?"),
    ("do you know {name} ?", "no , who is {name} ?"),
    ("{name} gave me a {thing} .", "what will you do with the {thing} from {name} ?"),
    ("my {thing} is {colour} .", "i have never seen a {colour} {thing} ."),
    ("{name} and {other} are here .", "i know {other} , but who is {name} ?"),
    ("my name is {name} . {other} is my friend . what is my name ?", "your name is {name} ."),
    ("my name is {name} . {other} is my friend . who is my friend ?", "your friend is {other} ."),
    ("i live in {place} . my {thing} is {colour} . where do i live ?", "you live in {place} ."),
    ("i live in {place} . my {thing} is {colour} . what is {colour} ?", "your {thing} is {colour} ."),
]
"""What is said, and what is answered."""
SPLITS: tuple[Split, ...] = ("test", "valid", "train", "train", "train")


def name_split(name: str) -> Split:
    """Where a name may occur: a fifth of all names is in test, a fifth in valid, the others are in train."""
    first, second = name[:2].lower(), name[2:4]
    return SPLITS[(SYLLABLES.index(first) + SYLLABLES.index(second)) % len(SPLITS)]


@dataclass(frozen=True)
class DialogueTask:
    """One turn of a dialogue and the next: "my name is Lamo ." and "hello Lamo , how are you ?".

    Names have two syllables, any two: 5,625 names. No name of valid or test occurs in training, so an answer has to
    take it over from what was said, and of two names the right one.
    """

    objective: ClassVar[str] = "translate"
    suffix: ClassVar[str] = ".tsv"

    @classmethod
    def example(cls) -> "DialogueTask":
        return cls()

    def draw(self, random: Random, split: Split) -> str:
        said, answer = random.choice(TURNS)
        slots = {
            "name": draw_name(random, split),
            "other": draw_name(random, split),
            "place": random.choice(PLACES),
            "thing": random.choice(THINGS),
            "colour": random.choice(COLOURS),
        }
        said, answer = (text.format_map(slots) for text in (said, answer))
        return f"{said}\t{answer}"


def draw_name(random: Random, split: Split) -> str:
    while True:
        name = "".join(random.choices(SYLLABLES, k=2)).capitalize()
        if name_split(name) == split:
            return name
