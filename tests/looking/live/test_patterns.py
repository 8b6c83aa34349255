"""What a live layer sees, from the mask, the cache and the padding that it was really given."""

import pytest
import torch
from torch import nn

from regard.attention import DenseMask, Padding
from regard.attention.masks.padding import padding
from regard.looking.live.calls import LayerCall
from regard.looking.live.patterns import compute_positions

QUERY = torch.zeros(2, 2, 1, 4)
TOKENS = torch.tensor([[0, 1, 1, 1, 1], [1, 1, 1, 1, 1]]).bool()


def call(**told):
    return LayerCall(nn.Identity(), (), is_cross=told.pop("is_cross", False), **told)


def seen(standing, queries=1):
    columns = torch.arange(standing.keys)
    if standing.mask is None:
        return torch.ones(2, 1, queries, standing.keys, dtype=torch.bool)
    return standing.mask.tile(columns[standing.keys - queries :], columns).expand(2, -1, -1, -1)


def test_a_mask_that_hides_more_than_padding_hides_it():
    mask = TOKENS.clone()
    mask[:, 2] = False
    standing = compute_positions(call(cached=True, first_query=4), QUERY, 5, mask[:, None, None], TOKENS)
    assert torch.equal(seen(standing)[:, 0, 0], mask)
    assert torch.equal(padding(standing.mask).attention_mask, TOKENS)


def test_a_mask_that_hides_padding_alone_is_padding():
    standing = compute_positions(call(cached=True, first_query=4), QUERY, 5, TOKENS[:, None, None], TOKENS)
    assert isinstance(standing.mask, Padding)


def test_what_is_hidden_is_no_padding_where_nobody_said_so():
    mask = torch.tensor([[1, 0, 1, 1, 1]]).bool()[:, None, None]
    standing = compute_positions(call(cached=True, first_query=4), QUERY, 5, mask, None)
    assert isinstance(standing.mask, DenseMask)
    assert padding(standing.mask) is None


def test_empty_positions_of_a_cache_are_no_keys():
    mask = torch.tensor([[1, 1, 1, 0, 0, 0]]).bool()[:, None, None]
    standing = compute_positions(call(cached=True, first_query=2), QUERY, 6, mask, None)
    assert standing.keys == 3
    assert standing.mask is None


def test_keys_behind_the_tokens_that_somebody_sees_stay_and_stand_nowhere():
    mask = torch.tensor([[1, 1, 1, 0, 1, 1]]).bool()[:, None, None]
    standing = compute_positions(call(cached=True, first_query=2), QUERY, 6, mask, None)
    assert standing.keys == 6
    assert standing.key_positions.tolist() == [[0, 1, 2, -1, -1, -1]]


def test_a_window_that_has_moved_on_counts_from_where_it_stands():
    standing = compute_positions(
        call(cached=True, first_query=4, first_key=2), QUERY, 3, TOKENS[:, None, None, 2:], TOKENS
    )
    assert standing.first_key == 2
    assert standing.mask is None  # whatever was padding has left the window
    assert standing.key_positions.tolist() == [[1, 2, 3], [2, 3, 4]]
    assert standing.query_positions.tolist() == [[3], [4]]


@pytest.mark.parametrize("mask", [None, torch.ones(2, 1, 1, 5, dtype=torch.bool)])
def test_padding_that_the_model_does_not_heed_is_none(mask):
    standing = compute_positions(call(cached=True, first_query=4), QUERY, 5, mask, TOKENS)
    assert standing.mask is None
    assert standing.query_positions is None


def test_numbers_that_are_added_are_a_bias_and_the_lowest_forbids():
    numbers = torch.tensor([[0.0, -1.5, torch.finfo(torch.float32).min, 0.5, -torch.inf]])[:, None, None]
    standing = compute_positions(call(), QUERY, 5, numbers, None)
    assert seen(standing)[0, 0, 0].tolist() == [True, True, False, True, False]
    assert standing.bias.numbers[0, 0, 0].tolist() == [0.0, -1.5, 0.0, 0.5, 0.0]
