"""Rotary positions beside complex numbers and the published ways to scale them. Also tests: config/rope_scaling.py."""

import cmath
import math

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ShapeError
from regard.positions import RopeScaling, Rotary

pairings = pytest.mark.parametrize("pairing", ["neighbours", "halves"])


@pairings
def test_lengths_are_kept(pairing):
    x = torch.randn(2, 3, 7, 8)
    turned = Rotary(8, pairing=pairing).rotate(x, torch.arange(7)[None])
    assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    assert not torch.allclose(turned[:, :, 1:], x[:, :, 1:])


@pairings
def test_a_dot_product_feels_only_the_distance(pairing):
    rotary, query, key = Rotary(8, pairing=pairing), torch.randn(1, 1, 1, 8), torch.randn(1, 1, 1, 8)

    def match(position: int, other: int) -> torch.Tensor:
        return (rotary.rotate(query, torch.tensor([[position]])) * rotary.rotate(key, torch.tensor([[other]]))).sum()

    for distance in (-5, 0, 3):
        near = match(10, 10 + distance)
        for position in (5, 57, 300):
            assert_close(match(position, position + distance), near, rtol=1e-4, atol=1e-4)
    assert not torch.allclose(match(10, 10), match(10, 13))


def test_the_papers_pairs_are_complex_numbers_turned_by_position_times_rate():
    """Su et al. 2021, eq. 13-15: pair i, taken as x1 + i x2, is multiplied by exp(i m theta_i)."""
    width, base, position = 6, 100.0, 5
    x = torch.randn(width)
    expected = []
    for pair in range(width // 2):
        z = complex(x[2 * pair], x[2 * pair + 1]) * cmath.exp(1j * position * base ** (-2 * pair / width))
        expected += [z.real, z.imag]
    turned = Rotary(width, base=base, pairing="neighbours").rotate(x[None, None, None], torch.tensor([[position]]))
    assert_close(turned.flatten(), torch.tensor(expected), rtol=1e-5, atol=1e-5)


def test_the_pairings_differ_by_the_order_of_the_numbers_only():
    x, positions = torch.randn(2, 3, 5, 8), torch.tensor([[0, 1, 2, 3, 4], [3, 4, 5, 6, 7]])
    order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])  # first of every pair, then second of every pair
    neighbours = Rotary(8, pairing="neighbours").rotate(x, positions)
    halves = Rotary(8, pairing="halves").rotate(x[..., order], positions)
    assert_close(neighbours[..., order], halves)


@pairings
def test_position_zero_turns_nothing(pairing):
    x = torch.randn(1, 2, 1, 6)
    assert torch.equal(Rotary(6, pairing=pairing).rotate(x, torch.tensor([[0]])), x)


def test_stretched_a_text_is_read_as_one_that_is_shorter_by_the_factor():
    """Chen et al. 2023, eq. 3: position m is taken for m / factor."""
    x = torch.randn(1, 2, 4, 8)
    stretched = Rotary(8, scaling=RopeScaling(4.0)).rotate(x, torch.tensor([[0, 4, 8, 40]]))
    assert_close(stretched, Rotary(8).rotate(x, torch.tensor([[0, 1, 2, 10]])), rtol=1e-5, atol=1e-5)


def test_with_the_length_of_the_training_texts_only_slow_pairs_are_stretched():
    """Llama 3.1: by wave length, kept below length / high, divided above length / low, blended in between."""
    width, base, factor, length, low, high = 64, 500000.0, 8.0, 8192, 1.0, 4.0
    expected = []
    for pair in range(width // 2):
        rate = base ** (-2 * pair / width)
        wave = 2 * math.pi / rate
        blend = (length / wave - low) / (high - low)
        slow = (1 - blend) * rate / factor + blend * rate
        expected.append(rate if wave < length / high else rate / factor if wave > length / low else slow)
    rotary = Rotary(width, base, scaling=RopeScaling(factor, length, low, high))
    assert_close(rotary.rates(torch.device("cpu")), torch.tensor(expected), rtol=1e-5, atol=0)


def test_errors_say_what_was_expected_and_what_came(unchecked):
    with pytest.raises(ShapeError, match="an even head width expected, got 7"):
        Rotary(7)
    with pytest.raises(ShapeError, match="'neighbours' or 'halves', got 'thirds'"):
        Rotary(8, pairing="thirds")
    with pytest.raises(ShapeError, match=r"rope scaling: factor = 0.0: float from 1e-06 to 1,000,000.0 expected"):
        RopeScaling(0.0)
    for width in (2, 4):
        with pytest.raises(ShapeError, match=f"8 numbers in each vector, expected {width}"):
            Rotary(width).rotate(torch.randn(1, 1, 3, 8), torch.arange(3)[None])


def test_scaling_may_come_as_a_recipe_has_it():
    plain, table = Rotary(8, scaling=RopeScaling(4.0)), Rotary(8, scaling={"factor": 4.0})
    assert table.scaling == plain.scaling
    with pytest.raises(ShapeError, match="scaling has a factor, and may have length, low, high, got speed"):
        Rotary(8, scaling={"speed": 4.0})


@pairings
def test_of_a_head_only_the_first_numbers_are_turned_if_it_says_so(pairing):
    x, positions = torch.randn(2, 3, 7, 8), torch.arange(7)[None]
    turned = Rotary(8, pairing=pairing, rotary_width=4).rotate(x, positions)
    assert torch.equal(turned[..., 4:], x[..., 4:])
    assert_close(turned[..., :4], Rotary(4, pairing=pairing).rotate(x[..., :4], positions))
    with pytest.raises(ShapeError, match="at most as many are turned, got 10"):
        Rotary(8, rotary_width=10)
