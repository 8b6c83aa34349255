"""A memory network's hops through a story, of the built-in model."""

from typing import Any

from pydantic import Field

from regard.viewer.learn.lesson import Lesson, Shown, fact, grid
from regard.viewer.payload import Given
from regard.viewer.shelf import Shelf

MODEL = "babi"
CODE = """import regard

found = regard.load("babi")({story!r}, {question!r})
print(found.text, found.score)
print(found.hops)
"""


class Told(Given):
    story: str = Field(
        "Brian is a frog. Lily is gray. Brian is yellow. Julius is green. Greg is a frog.",
        min_length=1,
        max_length=4000,
    )
    question: str = Field("What color is Greg?", min_length=1, max_length=400)


def shown(given: Told, shelf: Shelf) -> Shown:
    answer: Any = shelf.get(MODEL)
    found = answer(given.story, given.question)
    hops = found.hops
    facts = [fact("answer", found.text), fact("probability", found.score)]
    facts += [fact(f"hop {number}", hops.sentences[place]) for number, place in enumerate(hops.reads, 1)]
    return Shown(MODEL, [grid("hops", hops.weights.T, hops.sentences, hops.columns, "weights")], facts)


LESSON = Lesson(Told, shown, CODE)
