import pytest
import torch
import torch.nn.functional as F
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import DenseBias, Pattern, attend
from regard.errors import ShapeError


@pytest.mark.parametrize("shape", [(2, 4, 5, 7), (1, 4, 5, 7), (2, 1, 5, 7), (1, 1, 1, 7)], ids=str)
def test_numbers_are_added_to_the_scores_as_torch_adds_them(shape):
    query, key, value = random_heads(2, 4, 5, 7)
    numbers = torch.randn(shape)
    theirs = F.scaled_dot_product_attention(query, key, value, attn_mask=numbers)
    assert_close(attend(query, key, value, bias=DenseBias(numbers)), theirs)


def test_minus_infinity_forbids():
    query, key, value = random_heads(2, 4, 5, 7)
    allowed = torch.rand(1, 1, 5, 7) < 0.6
    allowed[..., 0] = True
    numbers = torch.zeros(1, 1, 5, 7).masked_fill(~allowed, -torch.inf)
    assert_close(attend(query, key, value, bias=DenseBias(numbers)), attend(query, key, value, mask=allowed))


def test_a_query_whose_every_score_is_forbidden_sees_nothing():
    query, key, value = random_heads(2, 4, 5, 7)
    numbers = torch.zeros(1, 1, 5, 7)
    numbers[:, :, 2] = -torch.inf
    pattern = Pattern(query, key, bias=DenseBias(numbers))
    assert (attend(query, key, value, bias=DenseBias(numbers))[:, :, 2] == 0).all()
    assert (pattern.row(2) == 0).all()
    assert ((pattern.logsumexp == -torch.inf) == (torch.arange(5) == 2)).all()


@pytest.mark.parametrize("numbers", [torch.zeros(5, 7), torch.zeros(1, 1, 5, 7).bool(), torch.zeros(1, 1, 5, 7).long()])
def test_what_cannot_be_added_is_refused(numbers):
    told = r"DenseBias takes floating-point numbers of \(batch or 1, heads or 1, queries, keys\), got torch"
    with pytest.raises(ShapeError, match=told):
        DenseBias(numbers)


def test_it_prints_its_sizes():
    assert "1 x 1 x 5 x 7" in repr(DenseBias(torch.zeros(1, 1, 5, 7)))
