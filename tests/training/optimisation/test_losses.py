import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from regard.layers import Output, Transform
from regard.training.optimisation.losses import cross_entropy, output_loss


def drawn(positions=13, words=11, width=6, dtype=torch.float64):
    x = torch.randn(positions, width, dtype=dtype, requires_grad=True)
    weight = torch.randn(words, width, dtype=dtype, requires_grad=True)
    bias = torch.randn(words, dtype=dtype, requires_grad=True)
    return x, weight, bias, torch.randint(words, (positions,))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [1, 4, 13, 100])
def test_it_is_torch_s_cross_entropy_and_so_are_its_gradients(smoothing, rows):
    x, weight, bias, targets = drawn()
    mine, plain = cross_entropy(x, weight, targets, bias=bias, smoothing=smoothing, rows=rows)
    scores = F.linear(x, weight, bias)
    theirs = F.cross_entropy(scores, targets, label_smoothing=smoothing, reduction="sum")
    assert_close(mine, theirs)
    assert_close(plain, F.cross_entropy(scores, targets, reduction="sum").detach())
    found = torch.autograd.grad(mine * 0.3, (x, weight, bias))
    assert_close(found, torch.autograd.grad(theirs * 0.3, (x, weight, bias)))


def test_the_gradient_is_that_of_small_differences():
    x, weight, bias, targets = drawn(positions=5)

    def loss(x, weight, bias):
        return cross_entropy(x, weight, targets, bias=bias, smoothing=0.2, rows=2)[0]

    assert torch.autograd.gradcheck(loss, (x, weight, bias))


def test_no_gradient_is_computed_where_none_is_wanted():
    x, weight, _, targets = drawn()
    cross_entropy(x, weight.detach(), targets)[0].backward()
    assert x.grad is not None
    assert not cross_entropy(x.detach(), weight.detach(), targets)[0].requires_grad


def test_an_output_layer_s_loss_is_that_of_its_scores():
    output = Output(8, 11, bias=True, scale=0.5, transform=Transform(6, 8, "gelu", torch.nn.LayerNorm(8)))
    x, targets = torch.randn(7, 6), torch.randint(11, (7,))
    found, _ = output_loss(output, x, targets)
    assert_close(found, F.cross_entropy(output(x), targets, reduction="sum"))


def test_bfloat16_is_near():
    x, weight, bias, targets = drawn(dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        found, _ = cross_entropy(x, weight, targets, bias=bias, smoothing=0.1)
    wanted, _ = cross_entropy(x, weight, targets, bias=bias, smoothing=0.1)
    assert found.dtype == torch.float32
    assert_close(found, wanted, rtol=0.02, atol=0)
    assert_close(torch.autograd.grad(found, weight)[0], torch.autograd.grad(wanted, weight)[0], rtol=0, atol=0.1)


class Largest(TorchDispatchMode):
    """The most numbers that any one tensor had."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        for tensor in found if isinstance(found, (tuple, list)) else [found]:
            if isinstance(tensor, torch.Tensor):
                self.numbers = max(self.numbers, tensor.numel())
        return found


def test_no_tensor_has_a_score_for_every_word_at_every_position():
    x, weight, _, targets = drawn(positions=200, words=300)
    with Largest() as seen:
        cross_entropy(x, weight, targets, rows=10)[0].backward()
    assert seen.numbers <= 10 * 300
