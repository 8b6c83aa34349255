"""Softmax and its temperature."""

import torch
from pydantic import Field

from regard.attention import Dot, Pattern
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Small, fact, grid, numbered_names
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

CODE = """import torch
from regard.attention import Dot, Pattern

scores = torch.tensor({scores})
pattern = Pattern(torch.ones(1, 1, 1, 1), scores.view(1, 1, -1, 1), score=Dot(1.0)).with_temperature({temperature})
print(pattern[0, 0, 0], pattern.entropy())
"""


class SoftmaxRequest(RequestModel):
    scores: list[Small] = Field([1, 2, 3, 0], min_length=1, max_length=16)
    temperature: float = Field(1.0, ge=0.01, le=1000)


def compute(request: SoftmaxRequest, model_store: ModelStore) -> LessonResult:
    scores = torch.tensor(request.scores)  # a query of 1: the scores are the keys
    pattern = Pattern(torch.ones(1, 1, 1, 1), scores.view(1, 1, -1, 1), score=Dot(1.0)).with_temperature(
        request.temperature
    )
    keys = numbered_names("key", len(scores))
    grids = [grid("scores", scores, ["score"], keys), grid("weights", pattern.weights(), ["weight"], keys, "weights")]
    largest = keys[int(pattern[0, 0, 0].argmax())]
    return LessonResult(BY_HAND, grids, [fact("entropy", float(pattern.entropy())), fact("largest", largest)])


LESSON = Lesson(SoftmaxRequest, compute, CODE)
