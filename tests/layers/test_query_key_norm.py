from functools import partial

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard.config import HeadSplit
from regard.errors import ShapeError
from regard.layers import MultiHead, QueryKeyNorm

WIDTH, HEADS = 8, 4


def attention(*, is_joint: bool) -> MultiHead:
    torch.manual_seed(0)
    norm = QueryKeyNorm(partial(nn.RMSNorm, eps=1e-6), 2, HEADS, 2, is_joint=is_joint)
    return MultiHead(WIDTH, HeadSplit.of(WIDTH, HEADS, kv_heads=2), bias=False, query_key_norm=norm).eval()


@pytest.mark.parametrize("is_joint", [True, False])
def test_the_size_of_queries_and_keys_changes_nothing(is_joint):
    layer, x = attention(is_joint=is_joint), torch.randn(2, 5, WIDTH)
    before = layer(x)
    with torch.no_grad():
        layer.qkv.weight[: WIDTH + 4] *= 7  # queries and keys; values stay
    assert_close(layer(x), before, rtol=1e-3, atol=1e-4)


def test_each_head_is_normalised_alone_unless_all_are_together():
    query, key = torch.randn(2, HEADS, 5, 2), torch.randn(2, 2, 5, 2)
    alone, together = attention(is_joint=False).query_key_norm, attention(is_joint=True).query_key_norm
    assert_close(alone(query, key)[0].square().mean(-1), torch.ones(2, HEADS, 5), rtol=1e-3, atol=1e-3)
    assert_close(together(query, key)[0].square().mean((1, 3)), torch.ones(2, 5), rtol=1e-3, atol=1e-3)


def test_heads_that_are_normalised_together_stay_together():
    attention(is_joint=False).keep((0, 1, 2))
    with pytest.raises(ShapeError, match="normalised together"):
        attention(is_joint=True).keep((0, 1, 2))
