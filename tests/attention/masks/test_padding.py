"""Positions that hold no token, on either side, and the tokens that are."""

import pytest
import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Causal, Padding, Window, attend
from regard.attention.masks.padding import keys_at, padding
from regard.errors import ShapeError


@pytest.mark.parametrize("side", ["left", "right"])
def test_lengths_are_numbers_of_tokens_on_the_other_side(side):
    attention_mask = Padding.from_lengths([0, 2, 3], side, keys=4).attention_mask
    assert attention_mask.sum(-1).tolist() == [0, 2, 3]
    assert (attention_mask if side == "right" else attention_mask.flip(1)).int().diff(dim=1).max() <= 0
    assert Padding.from_lengths(torch.tensor([1, 3]), side).attention_mask.shape == (2, 3)
    assert Padding.from_lengths([], keys=3).attention_mask.shape == (0, 3)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_padded_member_gathers_what_it_would_alone(side):
    query, key, value = random_heads(queries=3, keys=5)
    there = slice(0, 3) if side == "right" else slice(2, 5)
    padded = attend(query, key, value, mask=Padding.from_lengths([3, 3], side, 5))
    assert_close(padded, attend(query, key[:, :, there], value[:, :, there]))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Padding.from_lengths([2, 5], keys=4), r"lengths from 0 to 4 expected, got \[2, 5\]"),
        (lambda: Padding.from_lengths([-1, 2]), r"lengths from 0 to 2 expected, got \[-1, 2\]"),
        (lambda: Padding.from_lengths([1], "middle"), "padding stands on the 'left' or the 'right', got 'middle'"),
        (
            lambda: Padding(torch.ones(2, 3)),
            r"Padding takes bool of \(batch, keys\), True = a token, got torch.float32",
        ),
        (lambda: Padding(torch.ones(2, 3).long()), r"True = a token, got torch.int64 of \(2, 3\)"),
        (lambda: Padding(torch.ones(3).bool()), r"True = a token, got torch.bool of \(3,\)"),
        (lambda: Padding.from_lengths([3]) & Padding.from_lengths([4]), "Padding has 4 positions, expected 3"),
    ],
)
def test_what_is_not_padding_is_refused(make, told, unchecked):
    with pytest.raises(ShapeError, match=told):
        make()


def test_the_padding_of_a_mask_is_what_no_query_may_see():
    mask = Padding.from_lengths([1, 2])
    assert padding(mask) is mask
    assert padding(Causal() & mask & Window(2)).attention_mask.tolist() == mask.attention_mask.tolist()
    for other in (
        None,
        Causal(),
        ~mask,
        mask | Causal(),
        mask | Padding.from_lengths([2, 1]),
        Causal() & (mask | Window(1)),
    ):
        assert padding(other) is None


def test_an_alternative_hides_no_key():
    query, key, value = random_heads(batch=1, keys=4, queries=4)
    first, second = Padding(torch.tensor([[1, 1, 0, 0]]).bool()), Padding(torch.tensor([[0, 0, 1, 1]]).bool())
    with torch.no_grad():
        value[0, 0, 0, 0] = torch.inf
    gathered = attend(query, key, value, mask=first | second)
    assert (gathered[0, 0, :, 0] == torch.inf).all()
    assert_close(gathered[:, 1:], attend(query, key, value)[:, 1:])


def positions(attention_mask):
    """Where tokens stand among themselves, -1 for padding."""
    return torch.where(attention_mask, attention_mask.cumsum(-1) - 1, -1)


@pytest.mark.parametrize("side", ["left", "right"])
def test_tokens_are_counted_without_padding(side):
    mask = Padding.from_lengths([2, 4], side, 5)
    found = keys_at([0, 3, -1], positions(mask.attention_mask))
    for member, length in enumerate([2, 4]):
        first = 5 - length if side == "left" else 0
        meant = {first, first + length - 1} | ({first + 3} if length > 3 else set())
        assert set(found[member].nonzero().flatten().tolist()) == meant


def test_tokens_need_not_be_together():
    mask = Padding(torch.tensor([[False, True, False, True, True]]))
    at = positions(mask.attention_mask)
    assert keys_at([1], at).tolist() == [[False, False, False, True, False]]
    assert keys_at(torch.tensor([0, 2]), at).tolist() == [[False, True, False, False, True]]
    assert keys_at([4], torch.arange(5)[None]).tolist() == [[False] * 4 + [True]]


def test_a_token_that_no_member_has_is_refused():
    with pytest.raises(ShapeError, match="there is no token at position 3: 3 of them, counted from 0"):
        keys_at([3], positions(Padding.from_lengths([2, 3], keys=9).attention_mask))


def test_it_prints_how_many_are_real():
    assert repr(Padding.from_lengths([1, 2])) == "Padding(1, 2 tokens of 2)"
    assert repr(Padding.from_lengths([1] * 9)) == "Padding(1, 1, 1, 1, 1, 1, 1, 1, … tokens of 1)"
