import math

import pytest
import torch
from torch.testing import assert_close

from regard.errors import ShapeError
from regard.positions import Alibi


def published(heads: int) -> list[float]:
    """The recipe in the authors' repository (ofirpress/attention_with_linear_biases), step by step."""

    def power_of_two(heads: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [start * start**number for number in range(heads)]

    if math.log2(heads).is_integer():
        return power_of_two(heads)
    closest = 2 ** math.floor(math.log2(heads))
    return power_of_two(closest) + published(2 * closest)[0::2][: heads - closest]


def test_eight_heads_have_the_slopes_of_the_paper():
    """Press et al. 2022, 3: for 8 heads 1/2, 1/4, ... 1/256."""
    assert Alibi(8).slopes.tolist() == [1 / 2**number for number in range(1, 9)]


def test_sixteen_heads_have_the_slopes_of_the_paper_in_between():
    """The same place: for 16 heads the series starts at 1 / 2^0.5 and has that ratio."""
    assert_close(Alibi(16).slopes, torch.tensor([2 ** (-number / 2) for number in range(1, 17)]))


@pytest.mark.parametrize("heads", [*range(1, 18), 20, 25, 40, 71, 112])
def test_any_number_of_heads_follows_the_authors_recipe(heads):
    slopes = Alibi(heads).slopes
    assert_close(slopes, torch.tensor(published(heads)))
    assert len(slopes.unique()) == heads


def test_the_penalty_grows_with_distance_at_the_slope_of_the_head():
    bias = Alibi(4).bias()
    tile = bias.tile(torch.tensor([2, 9]), torch.tensor([0, 2, 5]))
    for head, slope in enumerate(published(4)):
        for row, position in enumerate([2, 9]):
            for column, other in enumerate([0, 2, 5]):
                assert tile[0, head, row, column] == pytest.approx(-slope * abs(position - other))


def test_heads_that_are_left_keep_their_own_slopes():
    position, left = Alibi(12), torch.tensor([1, 4, 11])
    assert torch.equal(position.bias(left).slopes, position.slopes[left])
    rows, columns = torch.arange(3), torch.arange(4)
    assert torch.equal(position.bias().heads(left).tile(rows, columns), position.bias(left).tile(rows, columns))


def test_nothing_is_learned_or_saved():
    assert not list(Alibi(8).parameters())
    assert not Alibi(8).state_dict()


def test_no_heads_is_refused(unchecked):
    with pytest.raises(ShapeError, match="at least one head expected, got 0"):
        Alibi(0)
