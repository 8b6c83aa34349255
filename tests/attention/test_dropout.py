"""Attention dropout takes weights away after the pattern was seen; it is the same noise backward as forward."""

import pytest
import torch
from attention.drawn import blocks_of
from attention.test_attend import Watcher, random_heads
from torch.testing import assert_close

from regard.attention import Additive, AlibiBias, BucketBias, Causal, Kernel, Padding, Window, attend

TOLD = {
    "plain": {},
    "causal": {"mask": Causal()},
    "window": {"mask": Window(2, 1)},
    "padded": {"mask": Causal() & Padding.from_lengths([3, 6], "left", 6)},
    "biased": {"bias": AlibiBias(torch.rand(4))},
    "learned": {"bias": BucketBias(torch.randn(4, 5))},
    "additive": {"score": Additive(torch.randn(4, 8))},
    "kernel": {"score": Kernel()},
}


def seeded(*heads, seed=1, **told):
    torch.manual_seed(seed)
    return attend(*heads, **told)


@pytest.mark.parametrize("budget", [1 << 20, 50])
@pytest.mark.parametrize("told", TOLD)
def test_a_seed_decides_watched_or_not(told, budget):
    heads, watcher = random_heads(), Watcher()
    with blocks_of(budget):
        once = seeded(*heads, dropout=0.3, **TOLD[told])
        again = seeded(*heads, dropout=0.3, **TOLD[told], taps=(watcher,))
        assert torch.equal(once, again)
        assert not torch.equal(once, seeded(*heads, seed=2, dropout=0.3, **TOLD[told]))
        assert_close(watcher.seen[0].weights(), weights_without(heads, TOLD[told]))


def weights_without(heads, told):
    attend(*heads, **told, taps=(watcher := Watcher(),))
    return watcher.seen[0].weights()


@pytest.mark.parametrize("budget", [1 << 20, 300])
def test_the_mean_over_noise_is_the_output_without(budget):
    query, key, value = (tensor.detach() for tensor in random_heads(batch=1, heads=1))
    times = 4000
    with blocks_of(budget * times):
        many = attend(*(tensor.expand(times, -1, -1, -1) for tensor in (query, key, value)), dropout=0.4)
    spread = many.std(0) / times**0.5
    assert ((many.mean(0) - attend(query, key, value)[0]).abs() < 5 * spread + 1e-6).all()


def test_everything_can_be_dropped():
    assert (attend(*random_heads(), dropout=1.0) == 0).all()


@pytest.mark.parametrize("budget", [1 << 20, 30])
@pytest.mark.parametrize("told", TOLD)
def test_the_gradient_meets_the_noise_of_the_forward_pass(told, budget):
    heads = random_heads(dtype=torch.float64)
    toward = torch.randn(2, 4, 6, 8, dtype=torch.float64)
    step = [torch.randn_like(tensor) for tensor in heads]

    def far(distance):
        moved = [(tensor + distance * along).detach() for tensor, along in zip(heads, step, strict=True)]
        return (seeded(*moved, dropout=0.3, **TOLD[told]) * toward).sum()

    with blocks_of(budget):
        gathered = seeded(*heads, dropout=0.3, **TOLD[told])
        gradients = torch.autograd.grad((gathered * toward).sum(), heads)
        numeric = (far(1e-5) - far(-1e-5)) / 2e-5
    along = sum((gradient * direction).sum() for gradient, direction in zip(gradients, step, strict=True))
    assert_close(along, numeric, rtol=1e-6, atol=1e-7)
