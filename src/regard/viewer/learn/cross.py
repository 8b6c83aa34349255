"""One text asks, another answers: queries of what was written, keys and values of what was read."""

import torch
from pydantic import Field

from regard.attention import Dot, Pattern
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Small, check_rectangular, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

ASK, ANSWER = ["der", "alte", "Mann"], ["the", "old", "man", "reads"]
NAMES = ["article", "age", "person"]
CODE = """import torch
from regard.attention import Dot, Pattern, attend

query = torch.tensor({query}).float()[None, None]  # of what was written
key = torch.tensor({key}).float()[None, None]  # of what was read
pattern = Pattern(query, key, score=Dot({scale}))
print(pattern.weights(), attend(query, key, key, score=Dot({scale})))
"""


class CrossRequest(RequestModel):
    query: list[list[Small]] = Field([[2, 0, 0], [0, 2, 0], [0, 0, 2]], min_length=3, max_length=3)
    key: list[list[Small]] = Field([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0.5]], min_length=4, max_length=4)
    scale: float = Field(1.5, ge=0, le=10)


def compute(request: CrossRequest, model_store: ModelStore) -> LessonResult:
    for name, rows in (("query", request.query), ("key", request.key)):
        check_rectangular(name, rows, len(NAMES))
    query, key = (torch.tensor(rows).float()[None, None] for rows in (request.query, request.key))
    pattern = Pattern(query, key, score=Dot(request.scale))
    weights = pattern.weights()
    grids = [
        grid("queries", query, ASK, NAMES),
        grid("keys and values", key, ANSWER, NAMES),
        grid("scores", pattern.scores(slice(0, len(ASK)), slice(0, len(ANSWER))), ASK, ANSWER),
        grid("weights", weights, ASK, ANSWER, "weights"),
        grid("output", weights @ key, ASK, NAMES),
    ]
    return LessonResult(BY_HAND, grids, [fact("asks", float(len(ASK))), fact("answers", float(len(ANSWER)))])


LESSON = Lesson(CrossRequest, compute, CODE)
