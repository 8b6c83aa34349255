"""What every bias can do, over the table."""

import pytest
import torch
from attention.drawn import blocks_of
from attention.plain import BIAS_EXAMPLES, Sizes
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import BIASES, Bias, Causal, attend
from regard.attention.values import map_tensors

SHAPES = [Sizes(), Sizes(queries=7, keys=7), Sizes(queries=1), Sizes(queries=9, keys=4), Sizes(batch=1, heads=1)]


def tile(bias, sizes):
    return bias.tile(torch.arange(sizes.queries) + sizes.behind, torch.arange(sizes.keys))


def full(numbers, sizes):
    return numbers.expand(sizes.batch, sizes.heads, sizes.queries, sizes.keys)


def tensors(bias):
    return [value for value in vars(bias).values() if isinstance(value, torch.Tensor)]


def example(name, sizes):
    """The example of the table, its numbers drawn anew and learning."""
    bias = BIASES[name].example(sizes.batch, sizes.heads, sizes.queries, sizes.keys)
    return map_tensors(bias, lambda numbers: torch.randn_like(numbers).requires_grad_())


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
@pytest.mark.parametrize("name", BIAS_EXAMPLES)
def test_the_whole_is_the_definition(name, sizes):
    bias, _, plain = BIAS_EXAMPLES[name](sizes)
    assert_close(full(tile(bias, sizes), sizes), full(plain(), sizes))


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
@pytest.mark.parametrize("name", BIASES)
def test_a_tile_is_a_region_of_the_whole(name, sizes):
    bias = example(name, sizes)
    whole = full(tile(bias, sizes), sizes)
    rows, columns = torch.tensor([sizes.queries - 1, 0]), torch.tensor([2, 0])
    some = bias.tile(rows + sizes.behind, columns)
    assert_close(some.expand(sizes.batch, sizes.heads, 2, 2), whole[:, :, rows[:, None], columns])
    bias.check(sizes.batch, sizes.heads, sizes.queries, sizes.keys)


@pytest.mark.parametrize("name", BIASES)
def test_some_heads_get_their_own_numbers(name):
    sizes = Sizes()
    bias = example(name, sizes)
    whole = full(tile(bias, sizes), sizes)
    for heads in (torch.tensor([3, 0]), slice(1, 3)):
        some = tile(bias.heads(heads), sizes)
        assert_close(some.expand(sizes.batch, 2, sizes.queries, sizes.keys), whole[:, heads])
    part = tile(bias.part(slice(1, 2), slice(2, 4)), sizes)
    assert_close(part.expand(1, 2, sizes.queries, sizes.keys), whole[1:2, 2:4])


@pytest.mark.parametrize("budget", [1 << 20, 20])
@pytest.mark.parametrize("name", BIASES)
def test_gradients_are_those_of_finite_differences(name, budget):
    sizes = Sizes(1, 2, 2, 3, 4, 2, 2)
    heads = random_heads(*sizes[:2], *sizes[3:], dtype=torch.float64)
    bias = example(name, sizes)
    learned = [tensor.detach().double().requires_grad_() for tensor in tensors(bias)]

    def of(query, key, value, *numbers):
        left = iter(numbers)
        return attend(query, key, value, bias=map_tensors(bias, lambda _: next(left)), mask=Causal())

    with blocks_of(budget):
        assert torch.autograd.gradcheck(of, (*heads, *learned), fast_mode=budget < 1 << 20)


@pytest.mark.parametrize("name", BIASES)
def test_a_bias_knows_whether_it_learns_and_prints_in_one_line(name):
    bias = example(name, Sizes())
    assert bias.learns == bool(tensors(bias))
    assert not map_tensors(bias, torch.Tensor.detach).learns
    assert repr(bias).startswith(type(bias).__name__)
    assert "tensor(" not in repr(bias)


def test_a_bias_of_ones_own_needs_only_its_tile():
    class Later(Bias):
        def tile(self, rows, columns):
            return (columns > rows[:, None]).float()[None, None] * -1e30

    query, key, value = random_heads()
    assert_close(attend(query, key, value, bias=Later()), attend(query, key, value, mask=Causal()))
