"""docs/order.md: Susan gave roses to Mary."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard.layers import FeedForward, MultiHead, Stack, TransformerBlock
from regard.positions import POSITIONS, Position

SUSAN, MARY = ["Susan", "gave", "roses", "to", "Mary"], ["Mary", "gave", "roses", "to", "Susan"]


@pytest.fixture
def stack():
    torch.manual_seed(0)
    blocks = [TransformerBlock(MultiHead(16, 2), FeedForward(16, 32), lambda: nn.LayerNorm(16)) for _ in range(2)]
    return Stack(blocks, nn.LayerNorm(16)).double()


def read(stack, words, position):
    """The words after two blocks: (words, width)."""
    vectors = dict(zip(SUSAN, torch.randn(5, 16, generator=torch.Generator().manual_seed(1)).double(), strict=True))
    x, positions = torch.stack([vectors[word] for word in words])[None], torch.arange(5)[None]
    with torch.no_grad():
        x = position.embed(x, positions)
        return stack(x, position=position, positions=positions, bias=position.bias())[0]


def test_without_positions_susan_and_mary_only_change_places(stack):
    one, other = read(stack, SUSAN, Position()), read(stack, MARY, Position())
    assert_close(other, one[[4, 1, 2, 3, 0]])
    assert_close(other.mean(0), one.mean(0))


@pytest.mark.parametrize("name", [name for name, scheme in POSITIONS.items() if scheme is not Position])
def test_with_positions_who_gave_makes_a_difference(name, stack):
    torch.manual_seed(2)
    position = POSITIONS[name].example(width=16, heads=2, length=5).double()
    one, other = read(stack, SUSAN, position), read(stack, MARY, position)
    assert (other.mean(0) - one.mean(0)).abs().max() > 1e-4
    for word in SUSAN:  # every word has another vector, the three that did not move included
        assert (other[MARY.index(word)] - one[SUSAN.index(word)]).abs().max() > 1e-4
