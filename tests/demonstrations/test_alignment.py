"""The additive and the local look of docs/alignment.md, one number at a time."""

import math

import pytest
import torch

from regard.attention import Additive, Dot, Local, Pattern


def test_the_wanted_word_wins_by_what_tanh_leaves():
    # The wanted word: tanh(1) for itself and six tanh(-2); any other: tanh(0), tanh(-1) and five tanh(-2).
    annotations, wanted = torch.eye(7)[None, None], [0, 1, 2, 3, 6, 5, 4]
    queries = 2 * torch.eye(7)[wanted][None, None] - 2
    weights = Pattern(queries, annotations, score=Additive(torch.full((1, 7), 5.0)))[0, 0]
    lead = math.exp(5 * (math.tanh(1) + math.tanh(-2) - math.tanh(-1)))
    for row, position in enumerate(wanted):
        for column in range(7):
            expected = (lead if column == position else 1) / (lead + 6)
            assert weights[row, column].item() == pytest.approx(expected, rel=1e-5)


def test_a_local_look_without_preference_is_a_gaussian_over_the_keys_in_reach():
    keys = torch.cat([torch.zeros(1, 1, 7, 1), torch.arange(7.0)[None, None, :, None]], -1)
    query = torch.tensor([[[[0.0, 2.5]]]])
    weights = Pattern(query, keys, score=Local(Dot(1.0), 2, fades=True))[0, 0, 0].tolist()
    near = {1: 1.5, 2: 0.5, 3: 0.5, 4: 1.5}  # how far the four keys within 2 positions of 2.5 are
    expected = [math.exp(-(near[position] ** 2) / 2) / 4 if position in near else 0 for position in range(7)]
    assert weights == pytest.approx(expected, rel=1e-5)
