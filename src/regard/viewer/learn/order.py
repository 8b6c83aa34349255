"""Susan gave roses to Mary, with and without positions."""

import torch
from pydantic import Field

from regard.errors import RegardError, lookup
from regard.layers import MultiHead
from regard.looking import watch
from regard.positions import POSITIONS
from regard.viewer.learn.lesson import RANDOM, Lesson, LessonResult, Word, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

WIDTH, HEADS, LONGEST = 16, 2, 8
CODE = """import torch
from regard.layers import MultiHead
from regard.positions import POSITIONS

torch.manual_seed(0)
vectors = dict(zip(sorted(set({words})), torch.randn(len(set({words})), 16)))
layer, position = MultiHead(width=16, heads=2).eval(), POSITIONS[{position!r}].example(width=16, heads=2, length=8)
for words in ({words}, {other}):
    positions = torch.arange(len(words))[None]
    x = position.embed(torch.stack([vectors[word] for word in words])[None], positions)
    print(layer(x, position=position, positions=positions, bias=position.bias())[0].mean(0))
"""


class OrderRequest(RequestModel):
    words: list[Word] = Field(["Susan", "gave", "roses", "to", "Mary"], min_length=2, max_length=LONGEST)
    other: list[Word] = Field(["Mary", "gave", "roses", "to", "Susan"], min_length=2, max_length=LONGEST)
    position: Word = "none"


@torch.no_grad()
def compute(request: OrderRequest, model_store: ModelStore) -> LessonResult:
    if sorted(request.words) != sorted(request.other):
        raise RegardError("the same words in another order expected")
    scheme = lookup(POSITIONS, request.position, "position scheme")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        vocabulary = sorted(set(request.words))
        vectors = dict(zip(vocabulary, torch.randn(len(vocabulary), WIDTH), strict=True))
        layer, position = MultiHead(WIDTH, HEADS).eval(), scheme.example(WIDTH, HEADS, LONGEST)
    grids, means, columns = [], [], [str(number) for number in range(WIDTH)]
    for name, words in (("", request.words), ("other ", request.other)):
        positions = torch.arange(len(words))[None]
        x = position.embed(torch.stack([vectors[word] for word in words])[None], positions)
        with watch(layer, "self") as seen:
            output = layer(x, position=position, positions=positions, bias=position.bias())[0]
        means.append(output.mean(0))
        grids.append(grid(f"{name}weights", seen["self"].weights()[0].mean(0), words, words, "weights"))
        grids.append(grid(f"{name}output", output, words, columns))
    facts = [fact("same", torch.allclose(*means, atol=1e-5)), fact("positions", " ".join(POSITIONS))]
    return LessonResult(RANDOM, [grids[0], grids[2], grids[1], grids[3]], facts)


LESSON = Lesson(OrderRequest, compute, CODE)
