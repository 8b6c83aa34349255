"""What every bias can do, over the table."""

import pytest
import torch
from attention.drawn import blocks_of
from attention.plain import BIAS_EXAMPLES, Sizes
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import BIASES, Bias, Causal, attend

SHAPES = [Sizes(), Sizes(queries=7, keys=7), Sizes(queries=1), Sizes(queries=9, keys=4), Sizes(batch=1, heads=1)]


def tile(bias, sizes):
    return bias.tile(torch.arange(sizes.queries) + sizes.behind, torch.arange(sizes.keys))


def full(numbers, sizes):
    return numbers.expand(sizes.batch, sizes.heads, sizes.queries, sizes.keys)


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
@pytest.mark.parametrize("name", BIASES)
def test_the_whole_is_the_definition_and_a_tile_a_region_of_it(name, sizes):
    bias, _, plain = BIAS_EXAMPLES[name](sizes)
    whole = full(plain(), sizes)
    assert_close(full(tile(bias, sizes), sizes), whole)
    rows, columns = torch.tensor([sizes.queries - 1, 0]), torch.tensor([2, 0])
    some = bias.tile(rows + sizes.behind, columns)
    assert_close(some.expand(sizes.batch, sizes.heads, 2, 2), whole[:, :, rows[:, None], columns])
    bias.check(sizes.batch, sizes.heads, sizes.queries, sizes.keys)


@pytest.mark.parametrize("name", BIASES)
def test_some_heads_get_their_own_numbers(name):
    sizes = Sizes()
    bias, _, plain = BIAS_EXAMPLES[name](sizes)
    whole = full(plain(), sizes)
    for kept in (torch.tensor([3, 0]), slice(1, 3)):
        some = tile(bias.heads(kept), sizes)
        assert_close(some.expand(sizes.batch, 2, sizes.queries, sizes.keys), whole[:, kept])
    part = tile(bias.part(slice(1, 2), slice(2, 4)), sizes)
    assert_close(part.expand(1, 2, sizes.queries, sizes.keys), whole[1:2, 2:4])


@pytest.mark.parametrize("budget", [1 << 20, 20])
@pytest.mark.parametrize("name", BIASES)
def test_gradients_are_those_of_finite_differences(name, budget):
    sizes = Sizes(1, 2, 2, 3, 4, 2, 2)
    heads = random_heads(*sizes[:2], *sizes[3:], dtype=torch.float64)
    bias, learned, _ = BIAS_EXAMPLES[name](sizes)
    learned = [tensor.detach().double().requires_grad_() for tensor in learned]

    def of(query, key, value, *numbers):
        return attend(query, key, value, bias=type(bias)(*numbers), mask=Causal())

    with blocks_of(budget):
        assert torch.autograd.gradcheck(of, (*heads, *learned), fast_mode=budget < 1 << 20)


@pytest.mark.parametrize("name", BIASES)
def test_a_bias_knows_whether_it_learns_and_prints_in_one_line(name):
    bias, learned, _ = BIAS_EXAMPLES[name](Sizes())
    assert bias.learns
    for tensor in learned:
        tensor.requires_grad_(False)
    assert not bias.learns
    assert repr(bias).startswith(type(bias).__name__)
    assert "tensor(" not in repr(bias)


def test_a_bias_of_ones_own_needs_only_its_tile():
    class Later(Bias):
        def tile(self, rows, columns):
            return (columns > rows[:, None]).float()[None, None] * -1e30

    query, key, value = random_heads()
    assert_close(attend(query, key, value, bias=Later()), attend(query, key, value, mask=Causal()))
