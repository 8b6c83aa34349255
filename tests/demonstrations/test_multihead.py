"""docs/multihead.md: one matrix cut into heads, as many numbers whatever h, values of another width."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard.config import HeadSplit
from regard.layers import MultiHead


def count(module):
    return sum(weight.numel() for weight in module.parameters())


@pytest.mark.parametrize("heads", [1, 2, 6, 12])
def test_a_layer_is_torchs_with_the_same_weights(heads):
    ours, theirs = MultiHead(12, heads).double(), nn.MultiheadAttention(12, heads, batch_first=True).double()
    ours.qkv.weight.data, ours.qkv.bias.data = theirs.in_proj_weight.data, theirs.in_proj_bias.data
    ours.output.weight.data, ours.output.bias.data = theirs.out_proj.weight.data, theirs.out_proj.bias.data
    x = torch.randn(2, 5, 12).double()
    assert_close(ours(x), theirs(x, x, x, need_weights=False)[0])


def test_there_are_as_many_numbers_whatever_the_heads():
    assert {count(MultiHead(48, heads)) for heads in (1, 2, 3, 4, 6, 8, 12, 16, 24, 48)} == {4 * 48 * 48 + 4 * 48}


@pytest.mark.parametrize("value_width", [1, 3, 8, 20])
def test_values_cost_as_much_as_they_are_wide(value_width):
    layer = MultiHead(48, HeadSplit.of(48, 6, value_width=value_width), bias=False)
    assert count(layer) == 2 * 48 * 48 + 2 * 48 * 6 * value_width


def test_the_scores_of_a_head_have_at_most_its_rank():
    layer, x = MultiHead(24, 6).double(), torch.randn(1, 50, 24).double()
    query, key, _ = layer.projections(x, None, None)
    assert torch.linalg.matrix_rank(query[0, 0] @ key[0, 0].T) == 4


def test_heads_may_stand_in_any_order():
    layer, x = MultiHead(12, 3).double(), torch.randn(1, 5, 12).double()
    before = layer(x)
    order = torch.tensor([2, 0, 1])
    with torch.no_grad():
        weight, bias = layer.qkv.weight.unflatten(0, (3, 3, 4)), layer.qkv.bias.unflatten(0, (3, 3, 4))
        layer.qkv.weight.copy_(weight[:, order].flatten(0, 2))
        layer.qkv.bias.copy_(bias[:, order].flatten())
        layer.output.weight.copy_(layer.output.weight.unflatten(1, (3, 4))[:, order].flatten(1))
    assert_close(layer(x), before)


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_a_head_that_looks_at_two_keys_alike_cannot_tell_them_apart_and_two_heads_can(share):
    values = torch.randn(2, 6).double()
    weights = torch.tensor([share, 1 - share]).double()
    assert torch.allclose(weights @ values, weights @ values.flip(0)) == (share == 0.5)
    assert not torch.allclose(torch.eye(2).double() @ values, torch.eye(2).double() @ values.flip(0))
