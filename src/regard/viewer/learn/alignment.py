"""The soft alignment of a recurrent translator, step by step."""

import torch
from pydantic import Field

from regard.attention import Additive, Pattern, attend
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

SOURCE = ["the", "agreement", "on", "the", "European", "Economic", "Area"]
TARGET = ["l'", "accord", "sur", "la", "zone", "économique", "européenne"]
SOURCE_WORDS = [0, 1, 2, 3, 6, 5, 4]  # the source word that each target word is about
CODE = """import torch
from regard.attention import Additive, Pattern, attend

annotations = torch.eye(7)[None, None]  # each source word its own direction
states = 2 * torch.eye(7)[[0, 1, 2, 3, 6, 5, 4]][None, None] - 2  # what the writer wants to know next
score = Additive(torch.full((1, 7), {scale}))
print(Pattern(states, annotations, score=score)[0, 0, {step}])
print(attend(states, annotations, annotations, score=score)[0, 0, {step}])
"""


class AlignmentRequest(RequestModel):
    step: int = Field(0, ge=0, le=6)
    scale: float = Field(5.0, ge=0, le=100)


def compute(request: AlignmentRequest, model_store: ModelStore) -> LessonResult:
    annotations = torch.eye(7)[None, None]
    states = 2 * torch.eye(7)[SOURCE_WORDS][None, None] - 2
    score = Additive(torch.full((1, 7), request.scale))
    pattern = Pattern(states, annotations, score=score)
    context = attend(states, annotations, annotations, score=score)[0, 0, request.step]
    here, word = slice(request.step, request.step + 1), TARGET[request.step]
    grids = [
        grid("weights", pattern.weights(), TARGET, SOURCE, "weights"),
        grid("states", states[0, 0, here], [word], SOURCE),
        grid("scores", pattern.scores(here, slice(0, 7)), [word], SOURCE),
        grid("step weights", pattern[0, 0, here], [word], SOURCE, "weights"),
        grid("context", context, [word], SOURCE),
    ]
    return LessonResult(BY_HAND, grids, [fact("source word", SOURCE[int(context.argmax())])])


LESSON = Lesson(AlignmentRequest, compute, CODE)
