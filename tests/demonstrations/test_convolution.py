"""docs/convolution.md: a convolution is attention in which each head looks at one offset."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from regard.attention import DenseMask, Pattern, attend


def neighbours(height, width, size):
    """(1, heads, pixels, pixels), from a loop over pixels and offsets."""
    allowed = torch.zeros(1, size**2, height * width, height * width, dtype=torch.bool)
    for row in range(height):
        for column in range(width):
            for head in range(size**2):
                down, across = head // size - size // 2, head % size - size // 2
                if 0 <= row + down < height and 0 <= column + across < width:
                    allowed[0, head, row * width + column, (row + down) * width + column + across] = True
    return DenseMask(allowed)


def convolve(image, kernel, bias):
    batch, channels, height, width = image.shape
    size = kernel.shape[-1]
    value = image.flatten(2).transpose(1, 2)[:, None]
    query = torch.zeros(batch, size**2, height * width, channels)
    gathered = attend(query, value, value, mask=neighbours(height, width, size))
    pixels = F.linear(gathered.transpose(1, 2).flatten(2), kernel.permute(0, 2, 3, 1).flatten(1), bias)
    return pixels.transpose(1, 2).unflatten(2, (height, width))


@pytest.mark.parametrize("size", [1, 3, 5])
@pytest.mark.parametrize(("channels", "outputs"), [(1, 1), (3, 4), (8, 2)])
@pytest.mark.parametrize("shape", [(5, 5), (4, 7), (2, 3)], ids=str)
def test_it_equals_torch_with_zero_padding(size, channels, outputs, shape):
    torch.manual_seed(size)
    image = torch.randn(2, channels, *shape)
    kernel, bias = torch.randn(outputs, channels, size, size), torch.randn(outputs)
    expected = F.conv2d(image, kernel, bias, padding=size // 2)
    assert_close(convolve(image, kernel, bias), expected, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("size", [3, 5])
def test_its_gradient_is_that_of_torch(size):
    torch.manual_seed(size)
    image, kernel = torch.randn(1, 2, 4, 5, requires_grad=True), torch.randn(3, 2, size, size, requires_grad=True)
    bias = torch.randn(3)
    expected = torch.autograd.grad(F.conv2d(image, kernel, bias, padding=size // 2).square().sum(), (image, kernel))
    found = torch.autograd.grad(convolve(image, kernel, bias).square().sum(), (image, kernel))
    assert_close(found, expected, rtol=1e-4, atol=1e-3)


def test_beyond_the_border_there_is_nothing_to_see():
    pixels = torch.zeros(1, 1, 9, 2)
    pattern = Pattern(torch.zeros(1, 9, 9, 2), pixels, mask=neighbours(3, 3, 3))
    seen = pattern.weights().sum(-1)[0]  # 1 where the neighbour exists, 0 beyond the border
    assert seen[4].eq(1).all()  # in place
    assert seen[0].view(3, 3).tolist() == [[0, 0, 0], [0, 1, 1], [0, 1, 1]]  # up and left
    assert seen[8].view(3, 3).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]  # down and right
