import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard.errors import UnknownName
from regard.layers import CELLS, Recurrent

REAL = torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 0, 1, 0, 1], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]).bool()


def layer(cell, **changes):
    return Recurrent(cell, 3, 4, layers=2, **changes).double()


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("both_ways", [False, True])
def test_padding_is_not_read_wherever_it_stands(cell, both_ways):
    recurrent = layer(cell, both_ways=both_ways)
    x = torch.randn(5, 5, 3).double()
    memory = tuple(torch.randn_like(part) for part in recurrent.initial_state(5))
    shown, after = recurrent(x, memory, REAL)
    for row in range(4):
        alone = tuple(part[:, row : row + 1].contiguous() for part in memory)
        out, last = recurrent.cells(x[row : row + 1, REAL[row]], alone if cell == "lstm" else alone[0])
        assert_close(shown[row, REAL[row]], out[0])
        for mine, expected in zip(after, last if cell == "lstm" else (last,), strict=True):
            assert_close(mine[:, row], expected[:, 0])
    for mine, before in zip(after, memory, strict=True):
        assert torch.equal(mine[:, 4], before[:, 4])  # who reads nothing remembers what they did


@pytest.mark.parametrize("cell", CELLS)
def test_one_word_after_another_is_all_at_once(cell):
    recurrent = layer(cell)
    x = torch.randn(5, 5, 3).double()
    whole, last = recurrent(x, attention_mask=REAL)
    memory = None
    for position in range(5):
        shown, memory = recurrent(x[:, position : position + 1], memory, REAL[:, position : position + 1])
        assert_close(shown[REAL[:, position], 0], whole[REAL[:, position], position])
    for mine, expected in zip(memory, last, strict=True):
        assert_close(mine, expected)


def test_a_gru_is_its_equations():
    # h = (1 - z) n + z h with every gate known: weights of zero, biases by hand.
    recurrent = Recurrent("gru", 1, 1)
    for weight in recurrent.parameters():
        nn.init.zeros_(weight)
    recurrent.cells.bias_ih_l0.data = torch.tensor([0.0, 0.0, 100.0])  # r = z = 1/2, n = 1
    shown, _ = recurrent(torch.zeros(1, 4, 1))
    assert_close(shown[0, :, 0], 1 - 0.5 ** torch.arange(1, 5))


def test_under_autocast_the_cells_stay_in_full_precision():
    recurrent, x = Recurrent("gru", 3, 4), torch.randn(2, 5, 3)
    plain, _ = recurrent(x)
    with torch.autocast("cpu", torch.bfloat16):
        shown, _ = recurrent(x)
    assert torch.equal(shown, plain)


def test_an_unknown_cell_is_said():
    with pytest.raises(UnknownName, match="unknown cell 'elman': known: gru, lstm"):
        Recurrent("elman", 1, 1)
