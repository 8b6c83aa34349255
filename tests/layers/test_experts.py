import torch
from torch.testing import assert_close

from regard.layers import FeedForward, MixtureOfExperts

WIDTH = 6


def mixture(experts: int, per_token: int) -> MixtureOfExperts:
    torch.manual_seed(0)
    return MixtureOfExperts(WIDTH, lambda: FeedForward(WIDTH, 10, "silu", gated=True), experts, per_token)


def test_one_expert_alone_is_a_feed_forward_layer():
    layer, x = mixture(1, 1), torch.randn(2, 3, WIDTH)
    assert_close(layer(x), layer.experts[0](x))


def test_all_experts_are_summed_by_their_probability():
    layer, x = mixture(3, 3), torch.randn(2, 3, WIDTH)
    share = layer.router(x).softmax(-1)
    expected = sum(share[..., number, None] * expert(x) for number, expert in enumerate(layer.experts))
    assert_close(layer(x), expected, rtol=1e-5, atol=1e-6)


def test_a_token_goes_to_the_experts_that_score_highest_whatever_stands_beside_it():
    layer, x = mixture(4, 2), torch.randn(2, 5, WIDTH)
    share, chosen = layer.route(x.flatten(0, 1))
    assert torch.equal(chosen, layer.router(x).flatten(0, 1).topk(2).indices)
    assert_close(share.sum(-1), torch.ones(10))
    assert_close(layer(x)[:, 2:3], layer(x[:, 2:3]))
