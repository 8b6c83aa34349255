import pytest
import torch
from torch.testing import assert_close

from regard.errors import ShapeError
from regard.positions import LearnedPositions


def test_each_position_adds_its_row():
    position, x = LearnedPositions(6, 4), torch.randn(2, 3, 4)
    positions = torch.tensor([[0, 1, 2], [5, 0, 3]])
    assert_close(position.embed(x, positions), x + position.table.weight[positions])


def test_rows_before_the_offset_are_kept_for_padding():
    position, x = LearnedPositions(6, 4, offset=2), torch.zeros(1, 6, 4)
    assert position.table.weight.shape == (8, 4)
    assert_close(position.embed(x, torch.arange(6)[None])[0], position.table.weight[2:])


@pytest.mark.parametrize("offset", [0, 2])
def test_a_position_past_the_end_is_refused(offset):
    position = LearnedPositions(6, 4, offset=offset)
    position.embed(torch.zeros(1, 1, 4), torch.tensor([[5]]))
    with pytest.raises(ShapeError, match=r"^position 6 is past the 6 positions that were learned$"):
        position.embed(torch.zeros(1, 1, 4), torch.tensor([[6]]))


def test_only_the_positions_that_occur_learn():
    position = LearnedPositions(6, 4)
    position.embed(torch.zeros(1, 2, 4), torch.tensor([[1, 3]])).sum().backward()
    assert position.table.weight.grad.abs().sum(-1).nonzero().flatten().tolist() == [1, 3]


def test_an_empty_sequence_is_left_alone():
    assert LearnedPositions(6, 4).embed(torch.zeros(2, 0, 4), torch.zeros(1, 0, dtype=torch.long)).shape == (2, 0, 4)


def test_a_wrong_width_is_refused(unchecked):
    for width in (1, 4):
        with pytest.raises(ShapeError, match=f"5 numbers in each vector, expected {width}"):
            LearnedPositions(6, width).embed(torch.zeros(1, 2, 5), torch.arange(2)[None])
