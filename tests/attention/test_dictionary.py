"""A dictionary that returns every value, to the extent that its key matches."""

import pytest
import torch
from torch.testing import assert_close

from regard.attention import Dot, soft_dictionary
from regard.errors import ShapeError

KEYS, VALUES = torch.eye(3), torch.tensor([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])


def test_a_query_finds_the_mixture_of_all_values():
    query = torch.tensor([2.0, 0.0, -1.0])
    found = soft_dictionary(KEYS, VALUES)[query]
    assert_close(found, torch.softmax(KEYS @ query, -1) @ VALUES)


def test_a_sharp_look_up_is_an_ordinary_one():
    sharp = soft_dictionary(KEYS, VALUES, score=Dot(1000.0))
    for key, value in zip(KEYS, VALUES, strict=True):
        assert_close(sharp[key], value)
        assert_close(sharp.weights(key), key)


def test_several_queries_are_answered_together():
    queries = torch.randn(4, 3)
    book = soft_dictionary(KEYS, VALUES)
    assert_close(book[queries], torch.stack([book[query] for query in queries]))
    assert_close(book.weights(queries), torch.softmax(queries @ KEYS.T, -1))


def test_a_key_that_matches_nothing_gets_the_mean():
    assert_close(soft_dictionary(KEYS, VALUES)[[0.0, 0.0, 0.0]], VALUES.mean(0))


def test_a_dict_will_do_and_values_may_be_numbers():
    book = soft_dictionary({(1.0, 0.0): 10.0, (0.0, 1.0): 20.0})
    assert len(book) == 2
    assert_close(book[[0.0, 0.0]], torch.tensor([15.0]))
    assert_close(book.weights([0.0, 0.0]), torch.tensor([0.5, 0.5]))


def test_it_learns():
    keys, values = KEYS.clone().requires_grad_(), VALUES.clone().requires_grad_()
    soft_dictionary(keys, values)[[1.0, 0.0, 0.0]].sum().backward()
    assert keys.grad.abs().sum() > 0
    assert_close(values.grad, torch.softmax(KEYS[0], -1)[:, None].expand(3, 2))


@pytest.mark.parametrize("query", [[1.0, 2.0], torch.zeros(2, 4), torch.zeros(1, 1, 3)])
def test_a_query_of_another_width_is_refused(query):
    with pytest.raises(ShapeError, match="a query has 3 numbers as the keys have, got"):
        _ = soft_dictionary(KEYS, VALUES)[query]


@pytest.mark.parametrize(("keys", "values"), [(KEYS, VALUES[:2]), (KEYS[0], VALUES), ({}, None)])
def test_keys_and_values_that_do_not_match_are_refused(keys, values):
    with pytest.raises(ShapeError, match="as many keys as values, each a vector, expected, got"):
        soft_dictionary(keys, values)
