import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Location, Pattern


def test_what_a_key_holds_plays_no_part():
    query, key, _ = random_heads()
    score = Location(torch.randn(4, 9, 8))
    assert torch.equal(Pattern(query, key, score).weights(), Pattern(query, torch.randn_like(key), score).weights())


def test_a_key_may_have_any_width():
    query, _, _ = random_heads(width=8)
    _, key, _ = random_heads(width=3)
    assert Pattern(query, key, Location(torch.randn(4, 6, 8))).weights().shape == (2, 4, 6, 6)


def test_a_query_that_names_a_position_looks_there():
    table = torch.eye(6).expand(1, 6, 6)
    query = 100 * torch.eye(6)[[3, 0]].expand(1, 1, 2, 6)
    weights = Pattern(query, torch.zeros(1, 1, 6, 2), Location(table)).weights()
    assert_close(weights[0, 0], torch.eye(6)[[3, 0]])
