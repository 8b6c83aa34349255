"""docs/dense_layer.md: a fully-connected layer is attention in which head j sees only input j."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from regard.attention import DenseMask, attend
from regard.layers import HeadSplit, MultiHead

SIZES = [(1, 1, 1), (1, 5, 3), (4, 1, 2), (4, 3, 5), (8, 8, 16), (13, 7, 1)]  # inputs, width, outputs


def only_its_own(inputs):
    """(1, heads, 1 query, keys): head j sees key j."""
    return DenseMask(torch.eye(inputs, dtype=torch.bool)[None, :, None])


@pytest.fixture(params=SIZES, ids=str)
def sizes(request):
    torch.manual_seed(0)
    return request.param


def test_attend_equals_linear(sizes):
    inputs, width, outputs = sizes
    linear, x = nn.Linear(inputs * width, outputs), torch.randn(3, inputs, width)
    query = torch.randn(3, inputs, 1, width)  # whatever it asks for
    gathered = attend(query, x[:, None], x[:, None], mask=only_its_own(inputs))
    attention = F.linear(gathered.transpose(1, 2).flatten(2), linear.weight, linear.bias)[:, 0]
    assert_close(attention, linear(x.flatten(1)), rtol=1e-5, atol=1e-5)


def layer_of(linear, inputs, width, outputs):
    """A multi-head layer with W_V = I and W_O = the weight of the linear layer."""
    layer = MultiHead(outputs, HeadSplit.of(outputs, inputs, head_width=width, kv_heads=1), source_width=width)
    with torch.no_grad():
        layer.kv.weight[width:] = torch.eye(width)
        layer.kv.bias[width:] = 0
        layer.output.load_state_dict(linear.state_dict())
    return layer


def test_a_layer_equals_linear(sizes):
    inputs, width, outputs = sizes
    linear, x = nn.Linear(inputs * width, outputs), torch.randn(3, inputs, width)
    layer = layer_of(linear, *sizes)
    attention = layer(torch.randn(3, 1, outputs), x, mask=only_its_own(inputs))[:, 0]
    assert_close(attention, linear(x.flatten(1)), rtol=1e-5, atol=1e-5)


def test_the_gradient_is_that_of_linear(sizes):
    inputs, width, outputs = sizes
    linear, x = nn.Linear(inputs * width, outputs), torch.randn(3, inputs, width, requires_grad=True)
    layer = layer_of(linear, *sizes)
    (expected,) = torch.autograd.grad(linear(x.flatten(1)).square().sum(), x)
    (found,) = torch.autograd.grad(layer(torch.randn(3, 1, outputs), x, mask=only_its_own(inputs)).square().sum(), x)
    assert_close(found, expected, rtol=1e-4, atol=1e-5)
