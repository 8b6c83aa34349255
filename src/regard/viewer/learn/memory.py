"""A memory network's hops through a story, of the built-in model."""

import torch
from pydantic import Field

from regard.tasks import AnswerTask
from regard.viewer.learn.lesson import Lesson, LessonResult, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

MODEL = "babi"
CODE = """import regard

answer = regard.load("babi")({story!r}, {question!r})
print(answer.text, answer.score)
print(answer.hops)
"""


class MemoryRequest(RequestModel):
    story: str = Field(
        "Brian is a frog. Lily is gray. Brian is yellow. Julius is green. Greg is a frog.",
        min_length=1,
        max_length=4000,
    )
    question: str = Field("What color is Greg?", min_length=1, max_length=400)


def compute(request: MemoryRequest, model_store: ModelStore) -> LessonResult:
    task = model_store.get(MODEL)
    assert isinstance(task, AnswerTask)
    result = task(request.story, request.question)
    hops = result.hops
    facts = [fact("answer", result.text), fact("probability", result.score)]
    facts += [fact(f"hop {number}", hops.sentences[sentence]) for number, sentence in enumerate(hops.reads, 1)]
    weights = torch.from_numpy(hops.weights.T)
    return LessonResult(MODEL, [grid("hops", weights, hops.sentences, hops.columns, "weights")], facts)


LESSON = Lesson(MemoryRequest, compute, CODE)
