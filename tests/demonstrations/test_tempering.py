"""docs/tempering.md: from uniform to the best key, and why √d keeps gradients alive."""

import math
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from regard.attention import Causal, Dot, Pattern, TopK

WIDTHS = (16, 64, 256, 1024)


def random_pattern(queries=6, keys=6, width=8, **more):
    torch.manual_seed(width)
    query, key = torch.randn(1, 2, queries, width).double(), torch.randn(1, 2, keys, width).double()
    return Pattern(query, key, **more)


@pytest.mark.parametrize("temperature", [0.1, 0.5, 2.0, 30.0])
def test_a_temperature_divides_the_scores(temperature):
    pattern = random_pattern()
    scores = pattern.query @ pattern.key.transpose(-1, -2) / math.sqrt(8)
    assert_close(pattern.with_temperature(temperature).weights(), F.softmax(scores / temperature, -1))


def test_hot_every_visible_key_is_alike():
    weights = random_pattern(mask=Causal()).with_temperature(1e9)[0, 0]
    assert_close(weights, torch.ones(6, 6).double().tril() / torch.arange(1, 7)[:, None])


def test_cold_the_best_key_has_it_all():
    pattern = random_pattern()
    best = (pattern.query @ pattern.key.transpose(-1, -2)).argmax(-1)
    assert_close(pattern.with_temperature(1e-6).weights(), F.one_hot(best, 6).double())
    assert_close(pattern.with_temperature(1e-6).weights(), random_pattern(normaliser=TopK(1)).weights())


def test_cold_a_tie_is_shared():
    key = torch.tensor([3.0, 1.0, 3.0]).double().view(1, 1, 3, 1)
    cold = Pattern(torch.ones_like(key[:, :, :1]), key, score=Dot(1.0)).with_temperature(1e-3)
    assert_close(cold[0, 0, 0], torch.tensor([0.5, 0.0, 0.5]).double())


def test_warmer_is_wider():
    entropies = [random_pattern().with_temperature(temperature).entropy() for temperature in (0.1, 0.5, 1, 2, 10, 100)]
    assert all((cooler < warmer).all() for cooler, warmer in pairwise(entropies))
    assert entropies[-1].max() < math.log(6)


def jacobian_norm(weights):
    squares = weights.square().sum(-1)
    return (squares - 2 * weights.pow(3).sum(-1) + squares.square()).clamp(min=0).sqrt()


def test_the_norm_of_the_derivative_is_that_of_torch():
    scores = torch.randn(9, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda s: F.softmax(s, -1), scores)
    assert_close(jacobian_norm(F.softmax(scores, -1)), jacobian.norm())


def norms(score):
    """The mean norm of the softmax's derivative at each width, over 512 random queries and 64 keys."""
    torch.manual_seed(0)
    found = []
    for width in WIDTHS:
        query, key = torch.randn(1, 1, 512, width), torch.randn(1, 1, 64, width)
        found.append(jacobian_norm(Pattern(query, key, score=score)[0, 0]).mean().item())
    return found


def test_scores_have_the_variance_of_the_width():
    torch.manual_seed(0)
    for width in WIDTHS:
        pattern = Pattern(torch.randn(1, 1, 512, width), torch.randn(1, 1, 512, width), score=Dot(1.0))
        scores = pattern.scores(slice(0, 512), slice(0, 512))
        assert scores.var().item() == pytest.approx(width, rel=0.1)


def test_over_the_root_of_the_width_the_derivative_stays():
    scaled = norms(Dot())
    assert max(scaled) / min(scaled) < 1.1


def test_without_it_the_derivative_dies():
    plain, scaled = norms(Dot(1.0)), norms(Dot())
    assert plain == sorted(plain, reverse=True)
    assert plain[-1] < plain[0] / 3
    assert plain[-1] < scaled[-1] / 2
