import math

import pytest
import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Padding, attend
from regard.attention.efficient import LowRankAttention
from regard.errors import ShapeError
from regard.layers import MultiHead


def test_it_is_the_formula_of_the_paper():
    """softmax(Q (E K)ᵀ / √d) F V: Wang et al. 2020, equation 7."""
    way, (query, key, value) = LowRankAttention(60, slots=8).double(), random_heads(2, 3, 50, 50, dtype=torch.float64)
    mixed = torch.einsum("sn,bhnd->bhsd", way.key_slots[:, :50], key)
    weights = (torch.einsum("bhnd,bhsd->bhns", query, mixed) / math.sqrt(8)).softmax(-1)
    meant = weights @ torch.einsum("sn,bhnd->bhsd", way.value_slots[:, :50], value)
    assert_close(attend(query, key, value, method=way), meant)


def test_with_a_slot_for_every_position_it_is_full_attention():
    way, heads = LowRankAttention(20, slots=20), random_heads(2, 2, 20, 20)
    with torch.no_grad():
        way.key_slots.copy_(torch.eye(20))
        way.value_slots.copy_(torch.eye(20))
    assert_close(attend(*heads, method=way), attend(*heads))


def test_padding_is_as_good_as_absence():
    way, (query, key, value) = LowRankAttention(40, slots=8), random_heads(1, 2, 40, 40)
    padded = attend(query, key, value, mask=Padding.from_lengths([25], keys=40), method=way)
    alone = attend(query, key[:, :, :25], value[:, :, :25], method=way)
    assert_close(padded, alone)


def test_it_looks_at_a_source_too():
    layer = MultiHead(16, 2, source_width=12, method=LowRankAttention(30, slots=4))
    assert layer(torch.randn(2, 5, 16), torch.randn(2, 30, 12)).shape == (2, 5, 16)


def test_a_text_that_is_too_long_is_refused():
    with pytest.raises(ShapeError, match="mixes up to 10 positions, got 11"):
        attend(*random_heads(1, 1, 11, 11), method=LowRankAttention(10, slots=2))
    with pytest.raises(ShapeError, match="from 1 slot to 10"):
        LowRankAttention(10, slots=11)
