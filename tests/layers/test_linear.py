"""Our linear layer gives what torch's own does, whichever library multiplies."""

import pytest
import torch
from torch import nn

from regard.layers import Linear, linear, product


def pair(bias: bool = True, into: int = 24, out: int = 40) -> tuple[Linear, nn.Linear]:
    torch.manual_seed(0)
    ours, theirs = Linear(into, out, bias=bias), nn.Linear(into, out, bias=bias)
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


SHAPES = {
    "rows": lambda: torch.randn(200, 24),
    "batch": lambda: torch.randn(5, 31, 24),
    "turned": lambda: torch.randn(31, 5, 24).transpose(0, 1),
    "part": lambda: torch.randn(5, 31, 48)[..., ::2],
    "repeated": lambda: torch.randn(5, 1, 24).expand(5, 31, 24),
    "few": lambda: torch.randn(3, 24),
    "none": lambda: torch.randn(0, 7, 24),
}


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_values_and_gradients_are_those_of_torch(shape, bias):
    ours, theirs = pair(bias)
    x = SHAPES[shape]()
    mine, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    got, wanted = ours(mine), theirs(other)
    torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-5)
    change = torch.randn_like(wanted)
    got.backward(change)
    wanted.backward(change)
    torch.testing.assert_close(mine.grad, other.grad, rtol=1e-5, atol=1e-5)
    for here, there in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(here.grad, there.grad, rtol=1e-5, atol=2e-5)


def test_large_products_take_the_faster_way_where_there_is_one(monkeypatch):
    """Otherwise the other tests would compare torch with itself."""
    if not linear.is_faster():
        pytest.skip("this processor has no AVX-512, or torch no oneDNN")
    asked = []
    monkeypatch.setattr(linear, "product", lambda *given: asked.append(given[0].shape) or product(*given))
    ours, _ = pair()
    ours(torch.randn(200, 24)).sum().backward()
    assert len(asked) == 1, "x needs no gradient: one product forward"
    ours(torch.randn(3, 24)).sum().backward()
    assert len(asked) == 1, "three rows are too few"


def test_a_bias_need_not_lie_straight():
    x, weight, bias = torch.randn(100, 24), torch.randn(40, 24), torch.randn(80)[::2]
    with torch.no_grad():
        torch.testing.assert_close(product(x, weight, bias), x @ weight.T + bias, rtol=1e-5, atol=1e-5)


def test_gradients_of_gradients():
    ours, theirs = pair()
    found = []
    for layer in (ours, theirs):
        x = torch.linspace(-1, 1, 200 * 24).view(200, 24).requires_grad_()
        (slope,) = torch.autograd.grad(layer(x).pow(3).sum(), x, create_graph=True)
        slope.pow(2).sum().backward()
        found.append((x.grad, layer.weight.grad))
    for mine, other in zip(*found, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-3)


def test_weights_that_are_frozen_get_no_gradient():
    ours, _ = pair()
    ours.weight.requires_grad_(False)
    x = torch.randn(200, 24, requires_grad=True)
    ours(x).sum().backward()
    assert ours.weight.grad is None
    torch.testing.assert_close(x.grad, ours.weight.sum(0).expand(200, 24), rtol=1e-5, atol=1e-5)
