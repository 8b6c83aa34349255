"""What every scheme has to keep to, over the table, and how places are counted."""

import inspect

import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.testing import assert_close

from regard.attention import Causal, Padding, attend
from regard.errors import UnknownName, lookup
from regard.positions import POSITIONS, Position, positions_of

SIZES = {"width": 4, "head_width": 4, "heads": 2, "length": 12, "buckets": 8, "reach": 6}
EMBEDDED = {"sinusoidal", "learned"}
RELATIVE = {"none", "rotary", "alibi", "buckets"}


def made(name: str) -> Position:
    """A scheme of the table, small; its arguments are known by their names."""
    kind = POSITIONS[name]
    wanted = inspect.signature(kind.__init__).parameters
    return kind(**{size: number for size, number in SIZES.items() if size in wanted})


class Look(nn.Module):
    """The least attention in which a scheme can bring order in, whichever way it takes."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position = position
        self.register_buffer("project", torch.randn(3, SIZES["heads"], SIZES["width"], SIZES["width"]))

    def forward(self, x, places, mask=None):
        x = self.position.embed(x, places)
        query, key, value = x[:, None] @ self.project[:, None]
        query, key = self.position.rotate(query, places), self.position.rotate(key, places)
        return attend(query, key, value, bias=self.position.bias(), mask=mask)


schemes = pytest.mark.parametrize("name", POSITIONS)


@schemes
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_size_and_dtype_are_kept(name, dtype):
    position, places = made(name).to(dtype), torch.arange(5)[None]
    x, heads = torch.randn(3, 5, 4, dtype=dtype), torch.randn(3, 2, 5, 4, dtype=dtype)
    assert (position.embed(x, places).shape, position.embed(x, places).dtype) == (x.shape, dtype)
    assert (position.rotate(heads, places).shape, position.rotate(heads, places).dtype) == (heads.shape, dtype)


@schemes
def test_order_comes_in_one_way_only(name):
    ways = [way for way in ("embed", "rotate", "bias") if getattr(POSITIONS[name], way) is not getattr(Position, way)]
    assert len(ways) == (0 if name == "none" else 1)


@schemes
def test_gradients_are_right(name):
    look = Look(made(name)).double()
    names = [name for name, _ in look.named_parameters()]
    x, places = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True), torch.tensor([[0, 1, 2]])

    def run(x, *weights):
        return torch.func.functional_call(look, dict(zip(names, weights, strict=True)), (x, places, Causal()))

    assert gradcheck(run, (x, *(weight.detach().requires_grad_() for weight in look.parameters())))


@schemes
def test_padding_on_either_side_changes_nothing_for_real_tokens(name):
    look, x = Look(made(name)), torch.randn(1, 4, 4)
    alone = look(x, positions_of(None, 4), Causal())
    for side in ("left", "right"):
        padded = torch.randn(1, 7, 4)
        attention_mask = Padding.from_lengths([4], side, keys=7).attention_mask
        padded[attention_mask] = x[0]
        found = look(padded, positions_of(attention_mask, 7), Causal() & Padding(attention_mask))
        assert_close(found.transpose(1, 2)[attention_mask], alone.transpose(1, 2)[0], rtol=1e-5, atol=1e-6)


@schemes
def test_the_order_of_tokens_matters_unless_there_is_no_position(name):
    look, x, places = Look(made(name)), torch.randn(1, 5, 4), torch.arange(5)[None]
    other = torch.tensor([3, 1, 4, 0, 2])
    moved = look(x[:, other], places)
    same = torch.allclose(moved, look(x, places)[:, :, other], atol=1e-5)
    assert same == (name == "none")


@schemes
def test_only_embedded_places_are_absolute(name):
    look, x = Look(made(name)), torch.randn(1, 5, 4)
    here, there = look(x, torch.arange(5)[None]), look(x, torch.arange(7, 12)[None])
    assert name in EMBEDDED | RELATIVE
    assert torch.allclose(here, there, atol=1e-5) == (name in RELATIVE)


@schemes
def test_a_scheme_that_is_saved_and_loaded_is_the_same(name):
    position, other = made(name), made(name)
    other.load_state_dict(position.state_dict())
    look = Look(position)
    again = Look(other)
    again.project = look.project
    x, places = torch.randn(1, 5, 4), torch.arange(5)[None]
    assert torch.equal(look(x, places), again(x, places))
    assert set(position.state_dict()) == {name for name, _ in position.named_parameters()}


@schemes
def test_each_member_of_a_batch_has_its_own_places(name):
    look, x = Look(made(name)), torch.randn(2, 5, 4)
    places = torch.tensor([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]])
    both = look(x, places)
    for member in range(2):
        alone = look(x[member : member + 1], places[member : member + 1])
        assert_close(both[member], alone[0], rtol=1e-5, atol=1e-6)


def test_an_unknown_scheme_gets_the_list_of_known_ones():
    with pytest.raises(UnknownName, match=r"unknown position 'rotery': did you mean 'rotary'\? known: alibi, buckets"):
        lookup(POSITIONS, "rotery", "position")


def test_places_without_padding_count_from_the_start():
    assert positions_of(None, 4).tolist() == [[0, 1, 2, 3]]
    assert positions_of(None, 2, start=5).tolist() == [[5, 6]]


def test_padding_does_not_count_on_either_side():
    right = Padding.from_lengths([3, 5], "right").attention_mask
    left = Padding.from_lengths([3, 5], "left").attention_mask
    assert positions_of(right, 5)[right].tolist() == [0, 1, 2, 0, 1, 2, 3, 4]
    assert positions_of(left, 5)[left].tolist() == [0, 1, 2, 0, 1, 2, 3, 4]


def test_padding_before_the_first_real_token_stands_at_its_place_and_padding_after_one_counts_on():
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
