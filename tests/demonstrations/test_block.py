"""docs/block.md: residual connections, norms, feed-forward, dropout."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard.layers import FeedForward, MultiHead, TransformerBlock


def block(pre_norm, width=16, dropout=0.0):
    return TransformerBlock(
        MultiHead(width, 4),
        FeedForward(width, 4 * width, dropout=dropout),
        lambda: nn.LayerNorm(width),
        pre_norm=pre_norm,
        dropout=dropout,
    ).double()


def test_layer_norm_is_mean_deviation_gain_and_bias():
    norm, x = nn.LayerNorm(7, eps=0.3).double(), torch.randn(3, 5, 7).double()
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, keepdim=True, unbiased=False)
    assert_close(norm(x), (x - mean) / (variance + 0.3).sqrt() * norm.weight + norm.bias)


def test_layer_norm_answers_each_position_alone_and_batch_norm_does_not():
    x = torch.randn(4, 6, 8)
    layer, batch = nn.LayerNorm(8), nn.BatchNorm1d(8)
    assert_close(layer(x)[2, 3], layer(x[2, 3]))
    among = batch(x.flatten(0, 1)).unflatten(0, (4, 6))
    alone = batch(x[2])
    assert (among[2] - alone).abs().max() > 0.1
    assert_close(among.mean((0, 1)), torch.zeros(8), atol=1e-5, rtol=0)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_a_part_that_says_nothing_leaves_the_second_way(pre_norm):
    one, x = block(pre_norm), torch.randn(2, 5, 16).double()
    for part in (one.self.output, one.feed_forward.narrow):
        nn.init.zeros_(part.weight)
        nn.init.zeros_(part.bias)
    expected = x if pre_norm else one.feed_forward_norm(one.self_norm(x))
    assert_close(one(x), expected)


def test_the_gradient_finds_the_second_way():
    one, x = block(pre_norm=True), torch.randn(1, 3, 16).double()
    jacobian = torch.autograd.functional.jacobian(one, x).reshape(48, 48)
    nn.init.zeros_(one.self.output.weight)
    nn.init.zeros_(one.feed_forward.narrow.weight)
    assert_close(torch.autograd.functional.jacobian(one, x).reshape(48, 48), torch.eye(48).double())
    assert (jacobian - torch.eye(48)).norm() > 0.1


def test_only_attention_moves_numbers_between_positions():
    one, x = block(pre_norm=True), torch.randn(1, 4, 16).double()
    jacobian = torch.autograd.functional.jacobian(one.feed_forward, x)[0, :, :, 0]  # (out, number, in, number)
    between = jacobian.abs().sum((1, 3))
    assert between.diagonal().min() > 0
    assert (between - between.diagonal().diag()).abs().max() == 0
    attention = torch.autograd.functional.jacobian(one.self, x)[0, :, :, 0].abs().sum((1, 3))
    assert attention.min() > 0


def test_dropout_is_right_on_average_and_gone_afterwards():
    one, x = block(pre_norm=True, dropout=0.2), torch.randn(1, 4, 16).double()
    assert not torch.equal(one.train()(x), one(x))
    assert torch.equal(one.eval()(x), one(x))
