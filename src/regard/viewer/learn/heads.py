"""Split into heads, attend in each, put side by side, mix: one layer of the library, step by step."""

from typing import Literal

import torch
from pydantic import Field

from regard.layers import MultiHead
from regard.looking import watch
from regard.viewer.learn.lesson import RANDOM, Lesson, LessonResult, Word, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

WIDTH = 8
CODE = """import torch
import regard
from regard.layers import MultiHead

torch.manual_seed({seed})
x = torch.randn(1, len({words}), 8)
layer = MultiHead(8, heads={heads}, bias=False).eval()
with torch.no_grad(), regard.watch(layer, values=True) as seen:
    print(layer(x))
print(seen["self"].weights())
"""


class HeadsRequest(RequestModel):
    words: list[Word] = Field(["the", "cat", "sat", "down"], min_length=2, max_length=6)
    heads: Literal[1, 2, 4] = 2
    seed: int = Field(0, ge=0, lt=2**31)


@torch.no_grad()
def compute(request: HeadsRequest, model_store: ModelStore) -> LessonResult:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(request.seed)
        x = torch.randn(1, len(request.words), WIDTH)
        layer = MultiHead(WIDTH, heads=request.heads, bias=False).eval()
    with watch(layer, "self", values=True) as seen:
        output = layer(x)
    pattern, each = seen["self"], WIDTH // request.heads
    wide, narrow = [str(number) for number in range(WIDTH)], [str(number) for number in range(each)]
    parts = {"queries": pattern.query, "keys": pattern.key, "values": pattern.values}
    grids = [grid("x", x, request.words, wide)]
    grids += [grid(name, concatenate(part), request.words, wide) for name, part in parts.items()]
    head_outputs = pattern.weights() @ pattern.values
    for head in range(request.heads):
        grids += [grid(f"{name} {head}", part[0, head], request.words, narrow) for name, part in parts.items()]
        grids.append(grid(f"weights {head}", pattern[0, head], request.words, request.words, "weights"))
        grids.append(grid(f"head output {head}", head_outputs[0, head], request.words, narrow))
    grids += [
        grid("concatenated", concatenate(head_outputs), request.words, wide),
        grid("output weights", layer.output.weight.T, wide, wide),
        grid("output", output, request.words, wide),
    ]
    return LessonResult(RANDOM, grids, [])


def concatenate(part: torch.Tensor) -> torch.Tensor:
    """(1, heads, words, width) becomes (words, heads x width)."""
    return part.transpose(1, 2).flatten(2)[0]


LESSON = Lesson(HeadsRequest, compute, CODE)
