"""docs/soft_dictionary.md: every value, to the extent that its key matches."""

import math

import pytest
import torch
from torch.testing import assert_close

import regard
from regard.attention import Dot

COMPASS = {(0.0, 1.0): (0.0, 0.0, 1.0), (1.0, 0.0): (0.0, 1.0, 0.0), (0.0, -1.0): (1.0, 0.0, 0.0)}


@pytest.mark.parametrize("scale", [0.0, 0.5, 1.0, 4.0])
def test_a_look_up_in_closed_form(scale):
    # North matches north by 1, east by 0, south by -1.
    shares = [math.exp(scale), 1, math.exp(-scale)]
    north, east, south = (share / sum(shares) for share in shares)
    soft = regard.soft_dictionary(COMPASS, score=Dot(scale))
    assert_close(soft.weights((0.0, 1.0)), torch.tensor([north, east, south]))
    assert_close(soft[0.0, 1.0], torch.tensor([south, east, north]))


def test_sharp_it_is_an_ordinary_dictionary():
    soft = regard.soft_dictionary(COMPASS, score=Dot(1000.0))
    for key, value in COMPASS.items():
        assert torch.equal(soft[key], torch.tensor(value))


def test_blunt_it_is_the_mean_of_its_values():
    soft = regard.soft_dictionary(COMPASS, score=Dot(0.0))
    assert_close(soft[5.0, -7.0], torch.full((3,), 1 / 3))


def test_a_key_stored_twice_counts_twice():
    once = regard.soft_dictionary([[1.0], [0.0]], [10.0, 20.0])
    twice = regard.soft_dictionary([[1.0], [1.0], [0.0]], [10.0, 10.0, 20.0])
    assert_close(once[[1.0]], torch.tensor([(10 * math.e + 20) / (math.e + 1)]))
    assert_close(twice[[1.0]], torch.tensor([(20 * math.e + 20) / (2 * math.e + 1)]))


def test_an_answer_lies_within_its_values():
    torch.manual_seed(0)
    keys, values, queries = torch.randn(9, 4), torch.randn(9, 3), torch.randn(50, 4)
    found = regard.soft_dictionary(keys, values)[queries]
    assert (found >= values.amin(0) - 1e-6).all()
    assert (found <= values.amax(0) + 1e-6).all()


def test_storing_and_asking_can_be_learned():
    keys = torch.randn(5, 8, dtype=torch.float64, requires_grad=True)
    values = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    query = torch.randn(2, 8, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda k, v, q: regard.soft_dictionary(k, v)[q], (keys, values, query))
