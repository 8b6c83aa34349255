import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Pattern, Shaw


def test_a_table_of_zeros_is_the_dot_product():
    query, key, _ = random_heads()
    assert_close(Pattern(query, key, Shaw(torch.zeros(4, 5, 8))).weights(), Pattern(query, key).weights())


def test_only_the_distance_counts():
    query, key, _ = random_heads(queries=3, keys=3)
    score = Shaw(torch.randn(4, 5, 8))
    near, far = torch.arange(3), torch.arange(3) + 50
    assert_close(score.tile(query, key, near, near), score.tile(query, key, far, far))


def test_distances_past_the_reach_share_an_end():
    query, key, _ = random_heads(queries=1, keys=9)
    with torch.no_grad():
        key[...] = 0
    scores = Shaw(torch.randn(4, 5, 8)).tile(query, key, torch.tensor([4]), torch.arange(9))
    assert_close(scores[..., :3], scores[..., :1].expand(-1, -1, -1, 3))
    assert_close(scores[..., 6:], scores[..., 8:].expand(-1, -1, -1, 3))
    assert (scores[..., 3] != scores[..., 2]).all()
