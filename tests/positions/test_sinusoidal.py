import math

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ShapeError
from regard.positions import Sinusoidal


def element(position: int, column: int, width: int) -> float:
    """Vaswani et al. 2017, 3.5: PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i+1) = cos(the same)."""
    angle = position / 10000 ** (2 * (column // 2) / width)
    return math.sin(angle) if column % 2 == 0 else math.cos(angle)


def encoded(position: Sinusoidal, positions: list[int], width: int) -> torch.Tensor:
    """What is added to words of zeros."""
    return position.embed(torch.zeros(1, len(positions), width), torch.tensor([positions]))[0]


@pytest.mark.parametrize("width", [2, 6, 16, 7, 1])
def test_the_papers_formula_holds_for_every_element(width):
    positions = [0, 1, 2, 17, 100]
    paper = torch.tensor([[element(position, column, width) for column in range(width)] for position in positions])
    assert_close(encoded(Sinusoidal(width), positions, width), paper, rtol=0, atol=2e-5)


@pytest.mark.parametrize("width", [2, 6, 16, 7])
def test_the_other_layout_has_the_same_numbers_with_all_sines_first(width):
    positions = list(range(20))
    paper = encoded(Sinusoidal(width), positions, width)
    halves = encoded(Sinusoidal(width, layout="halves"), positions, width)
    assert_close(halves, torch.cat([paper[:, 0::2], paper[:, 1::2]], -1), rtol=0, atol=1e-6)


def test_with_one_step_less_the_slowest_wave_turns_once_in_ten_thousand_positions():
    """tensor2tensor's get_timing_signal_1d, and fairseq's table: rates 10000^(-i / (width / 2 - 1))."""
    width, positions = 10, [0, 1, 5, 60]
    rates = [10000 ** (-i / (width // 2 - 1)) for i in range(width // 2)]
    rows = [
        [math.sin(index * rate) for rate in rates] + [math.cos(index * rate) for rate in rates] for index in positions
    ]
    position = Sinusoidal(width, layout="halves", steps=width / 2 - 1)
    assert_close(encoded(position, positions, width), torch.tensor(rows), rtol=0, atol=2e-5)


def test_the_first_token_stands_at_the_start():
    assert_close(encoded(Sinusoidal(8, start=2), [0, 1], 8), encoded(Sinusoidal(8), [2, 3], 8))


def test_positions_are_added_to_the_words():
    x, positions = torch.randn(2, 3, 8), torch.tensor([[0, 1, 2], [4, 5, 6]])
    position = Sinusoidal(8)
    added = position.embed(x, positions) - x
    assert_close(added[1], encoded(position, [4, 5, 6], 8), rtol=0, atol=1e-6)


def test_a_position_further_on_is_a_rotation_of_this_one():
    """Why the paper chose waves: PE(pos + k) is a linear function of PE(pos), the same for every pos."""
    table = encoded(Sinusoidal(8), list(range(40)), 8).double()
    move = torch.linalg.lstsq(table[:30], table[5:35]).solution
    assert_close(table[:30] @ move, table[5:35], rtol=0, atol=1e-4)


def test_errors_say_what_was_expected_and_what_came(unchecked):
    with pytest.raises(ShapeError, match="laid out as 'neighbours' or 'halves', got 'pairs'"):
        Sinusoidal(8, layout="pairs")
    with pytest.raises(ShapeError, match="6 numbers in each vector, expected 8"):
        Sinusoidal(8).embed(torch.randn(1, 3, 6), torch.arange(3)[None])
    with pytest.raises(ShapeError, match="6 numbers in each vector, expected 1"):
        Sinusoidal(1).embed(torch.randn(1, 3, 6), torch.arange(3)[None])
