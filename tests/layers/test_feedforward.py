import math

import pytest
import torch
from torch.testing import assert_close

from regard.errors import UnknownName
from regard.layers import ACTIVATIONS, FeedForward

FORMULAS = {
    "relu": lambda z: max(z, 0.0),
    "gelu": lambda z: z * (1 + math.erf(z / math.sqrt(2))) / 2,
    "gelu-tanh": lambda z: z * (1 + math.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))) / 2,
    "silu": lambda z: z / (1 + math.exp(-z)),
    "tanh": math.tanh,
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_every_activation_is_its_formula(name):
    numbers = [-4.0, -1.3, -0.2, 0.0, 0.4, 1.0, 3.7]
    bent = ACTIVATIONS[name](torch.tensor(numbers))
    assert_close(bent, torch.tensor([FORMULAS[name](number) for number in numbers]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("gated", [False, True])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_it_widens_bends_and_narrows(name, gated):
    layer, x = FeedForward(6, 10, name, gated=gated), torch.randn(2, 3, 6)
    wide = x @ layer.widen.weight.T + layer.widen.bias
    inner = ACTIVATIONS[name](wide[..., :10])
    if gated:
        inner = inner * wide[..., 10:]
    assert layer.widen.out_features == (20 if gated else 10)
    assert_close(layer(x), inner @ layer.narrow.weight.T + layer.narrow.bias)


def test_each_unit_is_a_key_that_may_match_and_a_value_that_is_then_added():
    layer, x = FeedForward(6, 10), torch.randn(1, 1, 6)
    total = layer.narrow.bias.clone()
    for unit in range(10):
        match = (layer.widen.weight[unit] @ x[0, 0] + layer.widen.bias[unit]).relu()
        total = total + match * layer.narrow.weight[:, unit]
    assert_close(layer(x)[0, 0], total)


def test_each_vector_is_worked_on_alone():
    layer, x = FeedForward(6, 10, "gelu"), torch.randn(2, 5, 6)
    other = torch.tensor([4, 0, 3, 1, 2])
    assert_close(layer(x[:, other]), layer(x)[:, other])


def test_biases_can_be_left_out():
    assert [name for name, _ in FeedForward(6, 10, bias=False).named_parameters()] == ["widen.weight", "narrow.weight"]


def test_dropout_is_for_training_only():
    layer, x = FeedForward(6, 10, dropout=0.5), torch.randn(2, 5, 6)
    plain = FeedForward(6, 10)
    plain.load_state_dict(layer.state_dict())
    assert torch.equal(layer.eval()(x), plain(x))
    assert not torch.equal(layer.train()(x), plain(x))


def test_an_unknown_activation_gets_the_list_of_known_ones():
    with pytest.raises(UnknownName, match=r"unknown activation 'gleu': did you mean 'gelu'\? known: gelu, "):
        FeedForward(6, 10, "gleu")
