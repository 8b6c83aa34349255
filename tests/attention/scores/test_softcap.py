import pytest
import torch
from attention.drawn import blocks_of
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Causal, Dot, Pattern, SoftCap, attend
from regard.errors import ShapeError

POSITIONS = torch.arange(6), torch.arange(6)


def test_the_cap_bends_the_scaled_dot_product():
    query, key, _ = random_heads(width=16, dtype=torch.float64)
    product = torch.einsum("bhqw,bhkw->bhqk", query, key)
    assert_close(SoftCap(3.0).tile(query, key, *POSITIONS), 3 * torch.tanh(product / 4 / 3))
    assert_close(SoftCap(3.0, scale=0.5).tile(query, key, *POSITIONS), 3 * torch.tanh(product / 2 / 3))


def test_no_score_passes_the_cap():
    query, key, _ = random_heads()
    assert SoftCap(2.0).tile(1000 * query, key, *POSITIONS).abs().max() <= 2


def test_a_cap_far_above_all_scores_changes_nothing():
    query, key, _ = random_heads(dtype=torch.float64)
    assert_close(SoftCap(1e6).tile(query, key, *POSITIONS), Dot().tile(query, key, *POSITIONS))


def test_a_capped_score_keeps_the_order_of_the_keys():
    query, key, _ = random_heads(dtype=torch.float64)
    capped, free = (score.tile(query, key, *POSITIONS) for score in (SoftCap(1.0), Dot()))
    assert torch.equal(capped.argsort(-1), free.argsort(-1))


@pytest.mark.parametrize("budget", [1, 64, 1 << 20])
def test_capped_attention_is_its_definition_however_it_is_cut(budget):
    query, key, value = random_heads(dtype=torch.float64)
    scores = 2 * torch.tanh(query @ key.transpose(-1, -2) / 8**0.5 / 2)
    weights = scores.masked_fill(~torch.ones(6, 6, dtype=torch.bool).tril(), -torch.inf).softmax(-1)
    with blocks_of(budget):
        assert_close(attend(query, key, value, score=SoftCap(2.0), mask=Causal()), weights @ value)
        pattern = Pattern(query.detach(), key.detach(), SoftCap(2.0), mask=Causal())
        assert_close(pattern[:, 1:3, 2:5, 1:4], weights[:, 1:3, 2:5, 1:4].detach())
        assert torch.equal(pattern.top(2).positions[:, :, 3:], weights.topk(2).indices[:, :, 3:])


def test_a_temperature_divides_what_was_capped():
    query, key, _ = random_heads(dtype=torch.float64)
    scores = torch.tanh(query @ key.transpose(-1, -2) / 8**0.5)
    assert_close(Pattern(query, key, SoftCap(1.0)).with_temperature(0.25).weights(), (scores * 4).softmax(-1))


@pytest.mark.parametrize("cap", [0.0, -5.0, float("nan")])
def test_a_cap_is_above_zero(cap):
    with pytest.raises(ShapeError, match="scores are capped at a number above 0, got"):
        SoftCap(cap)
