"""docs/self_attention.md: softmax(X Xᵀ) X, and when its diagonal is the largest."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from regard.attention import Dot, Pattern, attend

PLAIN = Dot(1.0)


def weights(x):
    return Pattern(x[None, None], x[None, None], score=PLAIN)[0, 0]


@pytest.mark.parametrize(("length", "width"), [(1, 1), (3, 2), (7, 16), (50, 4)])
def test_it_is_the_softmax_of_the_gram_matrix_times_the_vectors(length, width):
    torch.manual_seed(length)
    x = torch.randn(length, width, dtype=torch.float64)
    heads = x[None, None]
    assert_close(attend(heads, heads, heads, score=PLAIN)[0, 0], F.softmax(x @ x.T, dim=-1) @ x)


def test_two_vectors_in_closed_form():
    # Orthogonal unit vectors: scores 1 and 0, so a weight of e / (e + 1) on oneself.
    own = math.e / (math.e + 1)
    expected = torch.tensor([[own, 1 - own], [1 - own, own]])
    heads = torch.eye(2)[None, None]
    assert_close(weights(torch.eye(2)), expected)
    assert_close(attend(heads, heads, heads, score=PLAIN)[0, 0], expected)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("norm", [0.5, 1.0, 3.0])
def test_with_equal_norms_the_diagonal_is_the_largest(seed, norm):
    torch.manual_seed(seed)
    x = norm * F.normalize(torch.randn(12, 4, dtype=torch.float64), dim=-1)
    assert weights(x).argmax(-1).tolist() == list(range(12))


def test_a_longer_vector_is_preferred_to_oneself():
    x = torch.tensor([[1.0, 0.0], [3.0, 0.5]])
    quiet = weights(x)[0]
    assert_close(quiet, torch.tensor([1 / (1 + math.e**2), 1 / (1 + math.e**-2)]))  # scores 1 and 3
    assert quiet[1] > quiet[0]


def test_a_key_is_preferred_exactly_when_its_shadow_is_longer_than_the_query():
    torch.manual_seed(0)
    x = torch.randn(30, 3, dtype=torch.float64)
    shadow = x @ F.normalize(x, dim=-1).T  # shadow[j, i]: the part of x_j that points along x_i
    lengths = x.norm(dim=-1)[:, None]
    others = ~torch.eye(30, dtype=torch.bool)
    longer = ((shadow.T - lengths) > 0)[others]
    found = weights(x)
    assert (found > found.diagonal()[:, None])[others].equal(longer)
    assert longer.any()  # norms differ, so some do
