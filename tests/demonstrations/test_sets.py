"""docs/sets.md: what shuffling changes, and what it does not."""

import pytest
import torch
from torch.testing import assert_close

from regard.attention import SCORES, Causal, Dot, Padding, Pattern, attend
from regard.layers import MultiHead


@pytest.fixture
def x():
    torch.manual_seed(0)
    return torch.randn(2, 7, 12, dtype=torch.float64)


@pytest.fixture
def order():
    return torch.randperm(7, generator=torch.Generator().manual_seed(1))


def test_without_parameters_the_output_is_shuffled_as_the_input(x, order):
    def mixed(x):
        return attend(x[:, None], x[:, None], x[:, None], score=Dot(1.0))[:, 0]

    assert_close(mixed(x[:, order]), mixed(x)[:, order])


@pytest.mark.parametrize("name", SCORES)
def test_a_layer_is_equivariant_unless_its_score_knows_positions(name, x, order):
    layer = MultiHead(12, 3, score=SCORES[name].example(3, 4)).double()
    if SCORES[name].knows_positions:
        assert (layer(x[:, order]) - layer(x)[:, order]).abs().max() > 1e-6
    else:
        assert_close(layer(x[:, order]), layer(x)[:, order])


def test_weights_are_shuffled_both_ways(x, order):
    weights = Pattern(x[:, None], x[:, None]).weights()
    shuffled = Pattern(x[:, None, order], x[:, None, order]).weights()
    assert_close(shuffled, weights[:, :, order][..., order])


def test_what_one_query_gathers_does_not_change(x, order):
    query = torch.randn(2, 1, 1, 12, dtype=torch.float64)
    value = torch.randn(2, 1, 7, 5, dtype=torch.float64)
    attention_mask = torch.arange(7) < torch.tensor([[7], [4]])
    gathered = attend(query, x[:, None], value, mask=Padding(attention_mask))
    shuffled = attend(query, x[:, None, order], value[:, :, order], mask=Padding(attention_mask[:, order]))
    assert_close(shuffled, gathered)


def test_the_mean_of_all_outputs_does_not_change(x, order):
    layer = MultiHead(12, 3).double()
    assert_close(layer(x[:, order]).mean(1), layer(x).mean(1))


def test_a_causal_mask_brings_order_in(x, order):
    layer = MultiHead(12, 3).double()
    changed = layer(x[:, order], mask=Causal()) - layer(x, mask=Causal())[:, order]
    assert changed.abs().max() > 1e-6
