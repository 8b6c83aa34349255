"""Dropout leaves out as many numbers as it should, whichever they are."""

import math

import pytest
import torch

from regard.layers import Dropout


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5, 0.9])
def test_the_share_and_the_mean(p):
    torch.manual_seed(1)
    x = torch.ones(1001, 333)
    y = Dropout(p)(x)
    gone = (y == 0).double().mean().item()
    spread = math.sqrt(p * (1 - p) / x.numel())
    assert abs(gone - p) < 5 * spread + 1 / (1 << 16)
    assert torch.allclose(y[y != 0], torch.tensor(1 / (1 - p)), rtol=2e-4)


@pytest.mark.parametrize("distance", [1, 2, 3, 4, 64])
def test_neighbours_know_nothing_of_each_other(distance):
    """Four numbers share a draw: each must still be left out by itself."""
    torch.manual_seed(2)
    gone = (Dropout(0.3)(torch.ones(400_000)) == 0).double()
    both = (gone[:-distance] * gone[distance:]).mean().item()
    assert abs(both - 0.09) < 5 * math.sqrt(0.09 * 0.91 / 400_000)


def test_seeds_decide_and_gradients_follow():
    drop, x = Dropout(0.4), torch.randn(7, 13, requires_grad=True)
    torch.manual_seed(3)
    first = drop(x)
    torch.manual_seed(3)
    assert torch.equal(first, drop(x))
    assert not torch.equal(first, drop(x))
    first.sum().backward()
    assert torch.equal(x.grad == 0, first == 0)
    torch.testing.assert_close(x.grad * x.detach(), first.detach(), rtol=0, atol=0)


@pytest.mark.parametrize("kind", [torch.float64, torch.bfloat16, torch.float16])
def test_numbers_keep_their_kind(kind):
    y = Dropout(0.25)(torch.ones(64, 64, dtype=kind))
    assert y.dtype == kind
    assert set(y.double().unique().tolist()) == {0.0, torch.tensor(4 / 3, dtype=kind).double().item()}


def test_nothing_all_and_not_learning():
    x = torch.randn(3, 5)
    assert Dropout(0.0)(x) is x
    assert Dropout(0.5).eval()(x) is x
    assert torch.equal(Dropout(1.0)(x), torch.zeros(3, 5))
    assert Dropout(0.5)(torch.empty(0, 4)).shape == (0, 4)
