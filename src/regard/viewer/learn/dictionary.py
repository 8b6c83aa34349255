"""Query, key and value as a dictionary that never misses."""

import torch
from pydantic import Field

from regard.attention import Dot, Pattern, attend
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Small, check_rectangular, grid, numbered_names
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

CODE = """import regard
from regard.attention import Dot

keys, values = {keys}, {values}
soft = regard.soft_dictionary(dict(zip(map(tuple, keys), map(tuple, values))), score=Dot({scale}))
print(soft.weights({query}), soft[{query}])
"""


class DictionaryRequest(RequestModel):
    query: list[Small] = Field([0.7071, 0.7071], min_length=2, max_length=2)
    keys: list[list[Small]] = Field([[0, 1], [1, 0], [0, -1]], min_length=1, max_length=12)
    values: list[list[Small]] = Field([[0, 0, 1], [0, 1, 0], [1, 0, 0]], min_length=1, max_length=12)
    scale: float = Field(1.0, ge=0, le=1000)


def compute(request: DictionaryRequest, model_store: ModelStore) -> LessonResult:
    check_rectangular("keys", request.keys, 2)
    check_rectangular("values", request.values, 3)
    count = min(len(request.keys), len(request.values))
    query = torch.tensor(request.query)[None, None, None]
    keys, values = torch.tensor(request.keys[:count]), torch.tensor(request.values[:count])
    pattern = Pattern(query, keys[None, None], score=Dot(request.scale))
    output = attend(query, keys[None, None], values[None, None], score=Dot(request.scale))
    drawers = numbered_names("drawer", count)
    grids = [
        grid("keys", keys, drawers, ["x", "y"]),
        grid("values", values, drawers, ["red", "green", "blue"]),
        grid("scores", pattern.scores(slice(0, 1), slice(0, count)), ["query"], drawers),
        grid("weights", pattern.weights(), ["query"], drawers, "weights"),
        grid("output", output, ["query"], ["red", "green", "blue"]),
    ]
    return LessonResult(BY_HAND, grids, [])


LESSON = Lesson(DictionaryRequest, compute, CODE)
