import pytest
import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import SCORES, Dot, Pattern
from regard.attention.scores import Bilinear, Cosine, LearnedTemperature


def test_the_scale_is_that_of_the_key_width_unless_given():
    query, key, _ = random_heads(width=16)
    rows, columns = torch.arange(6), torch.arange(6)
    assert_close(Dot().tile(query, key, rows, columns), query @ key.transpose(-1, -2) / 4)
    assert_close(Dot(2.0).tile(query, key, rows, columns), 2 * query @ key.transpose(-1, -2))
    assert Dot() == Dot()


def test_the_length_of_a_vector_does_not_matter_to_the_angle():
    query, key, _ = random_heads()
    module = Cosine(heads=4, width=8)
    short, long = Pattern(*module(query, key)), Pattern(*module(7 * query, 0.1 * key))
    assert_close(short.weights(), long.weights())


def test_a_learned_temperature_starts_at_one_and_is_a_temperature():
    query, key, _ = random_heads()
    module = LearnedTemperature(heads=4, width=8)
    assert_close(Pattern(*module(query, key)).weights(), Pattern(query, key).weights())
    with torch.no_grad():
        module.log_temperature += torch.tensor(3.0).log()
    assert_close(Pattern(*module(query, key)).weights(), Pattern(query, key).with_temperature(3.0).weights())


@pytest.mark.parametrize("name", ["bilinear", "additive"])
def test_queries_and_keys_may_have_other_widths(name):
    query, _, _ = random_heads(width=8)
    _, key, _ = random_heads(width=5)
    module = SCORES[name](heads=4, width=8, key_width=5)
    weights = Pattern(*module(query, key)).weights()
    assert_close(weights.sum(-1), torch.ones(2, 4, 6))


def test_the_matrix_of_the_unit_is_the_dot_product():
    query, key, _ = random_heads()
    module = Bilinear(heads=4, width=8)
    with torch.no_grad():
        module.weight[...] = torch.eye(8)
    assert_close(Pattern(*module(query, key)).weights(), Pattern(query, key, Dot(1.0)).weights())
