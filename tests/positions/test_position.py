"""What every scheme has to keep to, over the table, and how positions are counted."""

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.testing import assert_close

from regard.attention import Causal, Padding, attend
from regard.errors import UnknownName, lookup
from regard.positions import POSITIONS, Position, positions_of

WIDTH, HEADS, LENGTH = 8, 2, 12


def example(name: str) -> Position:
    return POSITIONS[name].example(WIDTH, HEADS, LENGTH)


class Look(nn.Module):
    """The least attention in which a scheme can bring order in, whichever way it takes."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position = position
        self.register_buffer("project", torch.randn(3, HEADS, WIDTH, WIDTH // HEADS))

    def forward(self, x, positions, mask=None):
        x = self.position.embed(x, positions)
        query, key, value = x[:, None] @ self.project[:, None]
        query, key = self.position.rotate(query, positions), self.position.rotate(key, positions)
        return attend(query, key, value, bias=self.position.bias(), mask=mask)


schemes = pytest.mark.parametrize("name", POSITIONS)


@schemes
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_size_and_dtype_are_kept(name, dtype):
    position, positions = example(name).to(dtype), torch.arange(5)[None]
    x, heads = torch.randn(3, 5, WIDTH, dtype=dtype), torch.randn(3, 2, 5, 4, dtype=dtype)
    assert (position.embed(x, positions).shape, position.embed(x, positions).dtype) == (x.shape, dtype)
    assert (position.rotate(heads, positions).shape, position.rotate(heads, positions).dtype) == (heads.shape, dtype)


@schemes
def test_order_comes_in_one_way_only(name):
    ways = [way for way in ("embed", "rotate", "bias") if getattr(POSITIONS[name], way) is not getattr(Position, way)]
    assert len(ways) == (0 if POSITIONS[name] is Position else 1)


@schemes
def test_gradients_are_right(name):
    look = Look(example(name)).double()
    names = [name for name, _ in look.named_parameters()]
    x, positions = torch.randn(1, 3, WIDTH, dtype=torch.float64, requires_grad=True), torch.tensor([[0, 1, 2]])

    def run(x, *weights):
        return torch.func.functional_call(look, dict(zip(names, weights, strict=True)), (x, positions, Causal()))

    assert gradcheck(run, (x, *(weight.detach().requires_grad_() for weight in look.parameters())))


@schemes
def test_padding_on_either_side_changes_nothing_for_real_tokens(name):
    look, x = Look(example(name)), torch.randn(1, 4, WIDTH)
    alone = look(x, positions_of(None, 4), Causal())
    for side in ("left", "right"):
        padded = torch.randn(1, 7, WIDTH)
        attention_mask = Padding.from_lengths([4], side, keys=7).attention_mask
        padded[attention_mask] = x[0]
        output = look(padded, positions_of(attention_mask, 7), Causal() & Padding(attention_mask))
        assert_close(output.transpose(1, 2)[attention_mask], alone.transpose(1, 2)[0], rtol=1e-5, atol=1e-6)


@schemes
def test_the_order_of_tokens_matters_unless_there_is_no_position(name):
    look, x, positions = Look(example(name)), torch.randn(1, 5, WIDTH), torch.arange(5)[None]
    other = torch.tensor([3, 1, 4, 0, 2])
    moved = look(x[:, other], positions)
    same = torch.allclose(moved, look(x, positions)[:, :, other], atol=1e-5)
    assert same == (POSITIONS[name] is Position)


@schemes
def test_a_scheme_says_whether_it_is_absolute(name):
    look, x = Look(example(name)), torch.randn(1, 5, WIDTH)
    here, there = look(x, torch.arange(5)[None]), look(x, torch.arange(7, 12)[None])
    assert torch.allclose(here, there, atol=1e-5) != POSITIONS[name].is_absolute


@schemes
def test_a_scheme_that_is_saved_and_loaded_is_the_same(name):
    position, other = example(name), example(name)
    other.load_state_dict(position.state_dict())
    look = Look(position)
    again = Look(other)
    again.project = look.project
    x, positions = torch.randn(1, 5, WIDTH), torch.arange(5)[None]
    assert torch.equal(look(x, positions), again(x, positions))
    assert set(position.state_dict()) == {name for name, _ in position.named_parameters()}


@schemes
def test_each_member_of_a_batch_has_its_own_positions(name):
    look, x = Look(example(name)), torch.randn(2, 5, WIDTH)
    positions = torch.tensor([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
    both = look(x, positions)
    for member in range(2):
        alone = look(x[member : member + 1], positions[member : member + 1])
        assert_close(both[member], alone[0], rtol=1e-5, atol=1e-6)


def test_an_unknown_scheme_gets_the_list_of_known_ones():
    with pytest.raises(UnknownName, match=r"unknown position 'rotery': did you mean 'rotary'\? known: alibi, buckets"):
        lookup(POSITIONS, "rotery", "position")


def test_positions_without_padding_count_from_the_start():
    assert positions_of(None, 4).tolist() == [[0, 1, 2, 3]]
    assert positions_of(None, 2, start=5).tolist() == [[5, 6]]


def test_padding_does_not_count_on_either_side():
    right = Padding.from_lengths([3, 5], "right").attention_mask
    left = Padding.from_lengths([3, 5], "left").attention_mask
    assert positions_of(right, 5)[right].tolist() == [0, 1, 2, 0, 1, 2, 3, 4]
    assert positions_of(left, 5)[left].tolist() == [0, 1, 2, 0, 1, 2, 3, 4]


def test_padding_before_the_first_real_token_stands_at_its_position_and_padding_after_one_counts_on():
    attention_mask = torch.tensor([[False, False, True, True, False, False]])
    assert positions_of(attention_mask, 6).tolist() == [[0, 0, 0, 1, 2, 3]]
    assert positions_of(torch.zeros(1, 3, dtype=torch.bool), 3).tolist() == [[0, 0, 0]]


def test_padding_between_real_tokens_moves_nothing():
    attention_mask = torch.tensor([[True, False, False, True, True], [True, True, True, True, True]])
    assert positions_of(attention_mask, 5)[attention_mask].tolist() == [0, 1, 2, 0, 1, 2, 3, 4]


def test_the_newest_tokens_are_placed_after_all_that_were_read_before():
    attention_mask = torch.tensor([[False, True, True, True], [True, True, True, True]])
    assert positions_of(attention_mask, 1).tolist() == [[2], [3]]
    assert positions_of(attention_mask, 2).tolist() == [[1, 2], [2, 3]]
