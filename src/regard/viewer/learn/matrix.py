"""softmax(Q Kᵀ / √d) V, square by square."""

import torch
from pydantic import Field

from regard.attention import Dot, Pattern, attend
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Small, check_rectangular, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

WORDS = ["river", "bank", "money", "boat", "loan", "shore"]
WIDE = ["water", "wealth"]
CODE = """import torch
from regard.attention import attend

x = torch.tensor({x})
query, key, value = (x @ torch.tensor(matrix) for matrix in ({query}, {key}, {value}))
print(attend(query[None, None], key[None, None], value[None, None])[0, 0])
"""
Square = list[list[Small]]


class MatrixRequest(RequestModel):
    x: Square = Field([[2, 0], [1, 1], [0, 2]], min_length=1, max_length=6)
    query: Square = Field([[1, 0], [0, 1]], min_length=2, max_length=2)
    key: Square = Field([[1, 0], [0, 1]], min_length=2, max_length=2)
    value: Square = Field([[1, 0], [0, 1]], min_length=2, max_length=2)


def compute(request: MatrixRequest, model_store: ModelStore) -> LessonResult:
    for name in ("x", "query", "key", "value"):
        check_rectangular(name, getattr(request, name), 2)
    x = torch.tensor(request.x)
    matrices = [torch.tensor(matrix) for matrix in (request.query, request.key, request.value)]
    query, key, value = (x @ matrix for matrix in matrices)
    heads = query[None, None], key[None, None], value[None, None]
    words, count = WORDS[: len(x)], len(x)
    plain, scaled = Pattern(heads[0], heads[1], score=Dot(1.0)), Pattern(heads[0], heads[1])
    everything = slice(0, count), slice(0, count)
    names = ("query weights", "key weights", "value weights"), ("queries", "keys", "values")
    grids = [
        grid("x", x, words, WIDE),
        *(grid(name, matrix, WIDE, ["0", "1"]) for name, matrix in zip(names[0], matrices, strict=True)),
        *(grid(name, part, words, ["0", "1"]) for name, part in zip(names[1], (query, key, value), strict=True)),
        grid("scores", plain.scores(*everything), words, words),
        grid("scaled", scaled.scores(*everything), words, words),
        grid("weights", scaled.weights(), words, words, "weights"),
        grid("output", attend(*heads), words, ["0", "1"]),
    ]
    return LessonResult(BY_HAND, grids, [])


LESSON = Lesson(MatrixRequest, compute, CODE)
