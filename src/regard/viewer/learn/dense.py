"""A fully-connected layer is attention in which every head looks at one input."""

import torch
from pydantic import Field
from torch import nn

from regard.attention import DenseMask, Pattern, attend
from regard.viewer.learn.lesson import (
    RANDOM,
    Lesson,
    LessonResult,
    Small,
    check_rectangular,
    fact,
    grid,
    numbered_names,
)
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

INPUTS, WIDTH, OUTPUTS = 4, 3, 5
CODE = """import torch
from torch import nn
from regard.attention import DenseMask, attend

torch.manual_seed({seed})
linear, x = nn.Linear(12, 5), torch.tensor({x})[None]
mask = DenseMask(torch.eye(4, dtype=torch.bool)[None, :, None])  # head j sees input j
output = attend(torch.zeros(1, 4, 1, 3), x[:, None], x[:, None], mask=mask)
print(nn.functional.linear(output.transpose(1, 2).flatten(2), linear.weight, linear.bias), linear(x.flatten(1)))
"""


class DenseRequest(RequestModel):
    x: list[list[Small]] = Field(
        [[1, 0, -1], [0.5, 2, 0], [0, 1, 1], [-1, 0.5, 2]], min_length=INPUTS, max_length=INPUTS
    )
    seed: int = Field(0, ge=0, lt=2**31)


@torch.no_grad()
def compute(request: DenseRequest, model_store: ModelStore) -> LessonResult:
    check_rectangular("x", request.x, WIDTH)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(request.seed)
        linear = nn.Linear(INPUTS * WIDTH, OUTPUTS)
    x = torch.tensor(request.x)[None]
    query, value = torch.zeros(1, INPUTS, 1, WIDTH), x[:, None]
    mask = DenseMask(torch.eye(INPUTS, dtype=torch.bool)[None, :, None])
    output = attend(query, value, value, mask=mask)
    by_attention = nn.functional.linear(output.transpose(1, 2).flatten(2), linear.weight, linear.bias)
    by_layer = linear(x.flatten(1))
    heads, inputs, outputs = (
        numbered_names("head", INPUTS),
        numbered_names("input", INPUTS),
        numbered_names("output", OUTPUTS),
    )
    wide, all_wide = [str(number) for number in range(WIDTH)], [str(number) for number in range(INPUTS * WIDTH)]
    weights = Pattern(query, value.expand(1, INPUTS, INPUTS, WIDTH), mask=mask).weights()
    grids = [
        grid("x", x, inputs, wide),
        grid("mask", weights, heads, inputs, "mask"),
        grid("head outputs", output, heads, wide),
        grid("weights", linear.weight, outputs, all_wide),
        grid("by attention", by_attention, ["y"], outputs),
        grid("by layer", by_layer, ["y"], outputs),
    ]
    return LessonResult(RANDOM, grids, [fact("largest difference", float((by_attention - by_layer).abs().max()))])


LESSON = Lesson(DenseRequest, compute, CODE)
