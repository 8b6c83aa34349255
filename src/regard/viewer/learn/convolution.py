"""A convolution is attention in which every head looks at one neighbour."""

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from regard.attention import DenseMask, attend
from regard.viewer.learn.lesson import BY_HAND, Lesson, LessonResult, Small, check_rectangular, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

CODE = """import torch
import torch.nn.functional as F
from regard.attention import DenseMask, attend

image, kernel = torch.tensor({image}), torch.tensor({kernel})
height, width = image.shape
row, column = (part.flatten() for part in torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij"))
offsets = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1)]
heads = [(row == row[:, None] + down) & (column == column[:, None] + across) for down, across in offsets]
pixels = image.reshape(1, 1, -1, 1)
output = attend(torch.zeros(1, 9, height * width, 1), pixels, pixels, mask=DenseMask(torch.stack(heads)[None]))
print((output[0, :, :, 0].T @ kernel.flatten()).view(height, width))
print(F.conv2d(image[None, None], kernel[None, None], padding=1)[0, 0])
"""


class ConvolutionRequest(RequestModel):
    image: list[list[Small]] = Field(
        [[0, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]],
        min_length=3,
        max_length=8,
    )
    kernel: list[list[Small]] = Field([[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]], min_length=3, max_length=3)


def compute(request: ConvolutionRequest, model_store: ModelStore) -> LessonResult:
    check_rectangular("image", request.image)
    check_rectangular("kernel", request.kernel, 3)
    image, kernel = torch.tensor(request.image), torch.tensor(request.kernel)
    height, width = image.shape
    if not 3 <= width <= 8:
        check_rectangular("image", request.image, 8)
    heads, pixels = neighbours(height, width), image.reshape(1, 1, -1, 1)
    output = attend(torch.zeros(1, 9, height * width, 1), pixels, pixels, mask=DenseMask(heads[None]))
    by_attention = (output[0, :, :, 0].T @ kernel.flatten()).view(height, width)
    by_convolution = F.conv2d(image[None, None], kernel[None, None], padding=1)[0, 0]
    rows, columns = [str(number) for number in range(height)], [str(number) for number in range(width)]
    middle = heads[:, (height // 2) * width + width // 2].float()
    seen = (middle * torch.arange(1, 10)[:, None]).sum(0)
    grids = [
        grid("image", image, rows, columns),
        grid("kernel", kernel, ["above", "here", "below"], ["left", "here", "right"]),
        grid("mask of the middle pixel", seen, rows, columns),
        grid("by attention", by_attention, rows, columns),
        grid("by convolution", by_convolution, rows, columns),
    ]
    return LessonResult(
        BY_HAND, grids, [fact("largest difference", float((by_attention - by_convolution).abs().max()))]
    )


def neighbours(height: int, width: int) -> Tensor:
    """Who sees whom: (9 heads, pixels, pixels), one head for each offset."""
    row, column = (part.flatten() for part in torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij"))
    offsets = [(down, across) for down in (-1, 0, 1) for across in (-1, 0, 1)]
    return torch.stack(
        [(row == row[:, None] + down) & (column == column[:, None] + across) for down, across in offsets]
    )


LESSON = Lesson(ConvolutionRequest, compute, CODE)
