import math

import pytest
import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import AlibiBias, Cache, Causal, DenseMask, Padding, Window, attend
from regard.attention.efficient import WindowAttention
from regard.layers import MultiHead

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def by_hand(query, key, value, before, after):
    """One query after the other, over the keys that it sees."""
    found = torch.empty(*query.shape[:3], value.shape[-1])
    for position in range(query.shape[2]):
        near = slice(max(position - before, 0), position + after + 1)
        scores = query[:, :, position, None] @ key[:, :, near].transpose(-1, -2) / math.sqrt(key.shape[-1])
        found[:, :, position] = (scores.softmax(-1) @ value[:, :, near])[:, :, 0]
    return found


@pytest.mark.parametrize(("before", "after"), [(0, 0), (5, 0), (0, 9), (64, 64), (100, 3)])
@pytest.mark.parametrize("length", [1, 63, 129, 500])
def test_it_is_the_softmax_over_the_window(length, before, after):
    heads = random_heads(2, 2, length, length)
    assert_close(attend(*heads, method=WindowAttention(before, after)), by_hand(*heads, before, after), **CLOSE)


@pytest.mark.parametrize(
    "told",
    [
        {"mask": Causal()},
        {"mask": Window(12, 40)},
        {"mask": DenseMask(torch.rand(300, 300, generator=torch.Generator().manual_seed(0)) < 0.7)},
        {"mask": Padding.from_lengths([300, 11], "left")},
        {"mask": Padding(torch.arange(300)[None] % 3 > 0)},
        {"bias": AlibiBias(torch.tensor([0.1, 0.5]))},
    ],
    ids=["causal", "a window in the window", "dense", "padding", "padding for all", "bias"],
)
def test_it_is_the_window_mask_beside_any_other_mask_and_any_bias(told):
    heads = random_heads(2, 2, 300, 300, groups=1)
    mask = told.get("mask")
    meant = attend(*heads, **{**told, "mask": Window(30, 8) if mask is None else mask & Window(30, 8)})
    found = attend(*heads, **told, method=WindowAttention(30, 8))
    assert_close(found, meant, **CLOSE)
    toward = torch.randn_like(found)
    for mine, other in zip(*(torch.autograd.grad(x, heads, toward) for x in (found, meant)), strict=True):
        assert_close(mine, other, **CLOSE)


def test_a_text_that_is_read_token_by_token_sees_the_same():
    layer, x = MultiHead(16, 2, method=WindowAttention(20)).eval(), torch.randn(2, 200, 16)
    with torch.no_grad():
        whole, cache = layer(x, mask=Causal()), Cache()
        parts = [layer(part, mask=Causal(), cache=cache) for part in x.split([150, 1, 1, 40, 8], 1)]
    assert_close(torch.cat(parts, 1), whole, **CLOSE)
