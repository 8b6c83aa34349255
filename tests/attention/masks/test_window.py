import pytest
import torch

from regard.attention import Causal, Window
from regard.errors import ShapeError


def test_a_window_of_nothing_is_ones_own_position():
    assert torch.equal(Window(0).grid(5, 5)[0, 0], torch.eye(5).bool())


def test_a_window_that_reaches_back_for_ever_is_causal():
    assert torch.equal(Window(99).grid(4, 6), Causal().grid(4, 6))


def test_a_window_turned_round_is_seen_in_a_mirror():
    assert torch.equal(Window(2, 1).grid(6, 6), Window(1, 2).grid(6, 6).transpose(-1, -2))


@pytest.mark.parametrize("reach", [(-1, 0), (0, -1)])
def test_a_window_reaches_somewhere(reach):
    with pytest.raises(ShapeError, match="a window reaches 0 positions or more, got before="):
        Window(*reach)
