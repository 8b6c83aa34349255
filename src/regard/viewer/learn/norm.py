"""LayerNorm, step by step: the mean, the deviation, the gain and the bias; and batch norm, which asks the others."""

import torch
from pydantic import Field

from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Small, check_rectangular, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

CODE = """import torch
from torch import nn

x = torch.tensor({x}).float()  # a position a row
layer = nn.LayerNorm(x.shape[1], eps={epsilon})
nn.init.constant_(layer.weight, {gain})
nn.init.constant_(layer.bias, {bias})
batch = nn.BatchNorm1d(x.shape[1], eps={epsilon}, affine=False)  # one mean a column: over all positions
print(layer(x), batch(x))
"""


class NormRequest(RequestModel):
    x: list[list[Small]] = Field(
        [[2, 4, 4, 4, 5, 5, 7, 9], [20, 40, 40, 40, 50, 50, 70, 90], [5, 5, 5, 5, 5, 5, 5, 5]],
        min_length=2,
        max_length=6,
    )
    gain: float = Field(1.0, ge=-5, le=5, allow_inf_nan=False)
    bias: float = Field(0.0, ge=-5, le=5, allow_inf_nan=False)
    epsilon: float = Field(1e-5, ge=1e-12, le=10)


def compute(request: NormRequest, model_store: ModelStore) -> LessonResult:
    check_rectangular("x", request.x)
    x = torch.tensor(request.x).float()
    rows, columns = [f"position {row}" for row in range(len(x))], [str(column) for column in range(x.shape[1])]
    mean, variance = x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)
    centred = x - mean
    normed = centred / (variance + request.epsilon).sqrt()
    by_batch = (x - x.mean(0)) / (x.var(0, correction=0) + request.epsilon).sqrt()
    grids = [
        grid("x", x, rows, columns),
        grid("mean and deviation", torch.cat([mean, variance.sqrt()], 1), rows, ["mean", "deviation"]),
        grid("less the mean", centred, rows, columns),
        grid("over the deviation", normed, rows, columns),
        grid("layer norm", request.gain * normed + request.bias, rows, columns),
        grid("batch norm", by_batch, rows, columns),
    ]
    return LessonResult(BY_HAND, grids, [fact("mean", float(mean[0])), fact("deviation", float(variance[0].sqrt()))])


LESSON = Lesson(NormRequest, compute, CODE)
