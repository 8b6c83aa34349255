"""A memory network's hops through a story, of the built-in model."""

from typing import Any

from pydantic import Field

from regard.viewer.learn.lesson import Lesson, LessonResult, fact, grid
from regard.viewer.payload import RequestModel
from regard.viewer.shelf import ModelStore

MODEL = "babi"
CODE = """import regard

found = regard.load("babi")({story!r}, {question!r})
print(found.text, found.score)
print(found.hops)
"""


class MemoryRequest(RequestModel):
    story: str = Field(
        "Brian is a frog. Lily is gray. Brian is yellow. Julius is green. Greg is a frog.",
        min_length=1,
        max_length=4000,
    )
    question: str = Field("What color is Greg?", min_length=1, max_length=400)


def compute(request: MemoryRequest, model_store: ModelStore) -> LessonResult:
    answer: Any = model_store.get(MODEL)
    found = answer(request.story, request.question)
    hops = found.hops
    facts = [fact("answer", found.text), fact("probability", found.score)]
    facts += [fact(f"hop {number}", hops.sentences[place]) for number, place in enumerate(hops.reads, 1)]
    return LessonResult(MODEL, [grid("hops", hops.weights.T, hops.sentences, hops.columns, "weights")], facts)


LESSON = Lesson(MemoryRequest, compute, CODE)
