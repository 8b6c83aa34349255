"""The dot product as a match: viewers and films."""

import torch
from pydantic import Field

from regard.attention import Dot, Pattern
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Small, check_rectangular, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

VIEWERS, FILMS = ["romantic", "daredevil", "grump"], ["love story", "car chase", "farce", "heist"]
GENRES = ["romance", "action", "comedy"]
CODE = """import torch
from regard.attention import Dot, Pattern

tastes = torch.tensor({tastes})
contents = torch.tensor({contents})
pattern = Pattern(tastes[None, None], contents[None, None], score=Dot(1.0))
print(tastes @ contents.T)
print(pattern.weights()[0, 0])
"""


class MatchRequest(RequestModel):
    tastes: list[list[Small]] = Field([[2, -2, 1], [-1, 3, 0], [-1, -1, -2]], min_length=3, max_length=3)
    contents: list[list[Small]] = Field([[2, -1, 0], [-1, 2, 0], [0.5, -1, 2], [0, 1, 1]], min_length=4, max_length=4)


def compute(request: MatchRequest, model_store: ModelStore) -> LessonResult:
    for name, table in (("tastes", request.tastes), ("contents", request.contents)):
        check_rectangular(name, table, len(GENRES))
    tastes, contents = torch.tensor(request.tastes), torch.tensor(request.contents)
    pattern = Pattern(tastes[None, None], contents[None, None], score=Dot(1.0))
    grids = [
        grid("tastes", tastes, VIEWERS, GENRES),
        grid("contents", contents, FILMS, GENRES),
        grid("scores", pattern.scores(slice(0, 3), slice(0, 4)), VIEWERS, FILMS),
        grid("weights", pattern.weights(), VIEWERS, FILMS, "weights"),
    ]
    return LessonResult(BY_HAND, grids, [])


LESSON = Lesson(MatchRequest, compute, CODE)
