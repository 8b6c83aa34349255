import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Additive, Pattern
from regard.attention.scores import LearnedAdditive


def test_it_is_bahdanaus_network():
    module = LearnedAdditive(heads=1, width=8, key_width=5, score_width=3)
    query, _, _ = random_heads(1, 1, 2, 4, 8)
    _, key, _ = random_heads(1, 1, 2, 4, 5)
    projected, keys, score = module(query, key)
    scores = score.tile(projected, keys, torch.arange(2), torch.arange(4))
    for row in range(2):
        for column in range(4):
            inner = query[0, 0, row] @ module.query_weight[0] + key[0, 0, column] @ module.key_weight[0]
            assert_close(scores[0, 0, row, column], module.vector[0] @ inner.tanh())


def test_a_pair_costs_as_many_numbers_as_its_vector_has():
    assert Additive(torch.ones(2, 5)).cost == 5


def test_no_score_exceeds_the_sum_of_the_vector():
    query, key, _ = random_heads()
    vector = torch.randn(4, 8)
    scores = Pattern(1e3 * query, key, Additive(vector)).scores(slice(0, 6), slice(0, 6))
    assert (scores.abs() <= vector.abs().sum(-1)[:, None, None] + 1e-5).all()
