import pytest
import torch
import torch.nn.functional as F
from attention.test_attend import random_heads
from torch.autograd import gradcheck, gradgradcheck
from torch.testing import assert_close

from regard.attention import Cache, Causal, attend
from regard.attention.efficient import LinearAttention
from regard.attention.efficient.linear import Prefixes
from regard.errors import UnknownName
from regard.layers import MultiHead

FEATURES = {"elu": lambda x: F.elu(x) + 1, "relu": F.relu, "softplus": F.softplus}


def as_a_recurrence(query, key, value, feature):
    """A state that grows by one outer product a token: Katharopoulos et al. 2020, equations 18 to 20."""
    query, key = FEATURES[feature](query), FEATURES[feature](key)
    state, norm, found = 0, 0, []
    for position in range(query.shape[2]):
        state = state + key[:, :, position, :, None] * value[:, :, position, None, :]
        norm = norm + key[:, :, position]
        total = (query[:, :, position] * norm).sum(-1, keepdim=True)
        found.append((query[:, :, position, None] @ state)[:, :, 0] / torch.where(total == 0, 1, total))
    return torch.stack(found, 2)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("length", [1, 64, 65, 1100])
def test_causal_sums_are_the_recurrence_of_the_paper(length, feature):
    heads = random_heads(2, 2, length, length, dtype=torch.float64)
    assert_close(attend(*heads, mask=Causal(), method=LinearAttention(feature)), as_a_recurrence(*heads, feature))


def test_the_last_token_sees_what_it_would_see_of_a_text_that_is_read_both_ways():
    heads = random_heads(1, 2, 90, 90, dtype=torch.float64)
    back, both = (attend(*heads, mask=mask, method=LinearAttention())[:, :, -1] for mask in (Causal(), None))
    assert_close(back, both)


def test_a_source_may_have_another_length():
    query, key, value = random_heads(2, 4, 7, 50, groups=2, dtype=torch.float64)
    weights = FEATURES["elu"](query) @ FEATURES["elu"](key).repeat_interleave(2, 1).transpose(-1, -2)
    meant = weights / weights.sum(-1, keepdim=True) @ value.repeat_interleave(2, 1)
    assert_close(attend(query, key, value, method=LinearAttention()), meant)


def test_the_gradients_of_prefix_sums_and_their_gradients_are_right(monkeypatch):
    monkeypatch.setattr("regard.attention.efficient.linear.CHUNK", 2)
    monkeypatch.setattr("regard.attention.efficient.linear.PIECE", 2)
    some = [torch.randn(1, 1, 7, 2, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    assert gradcheck(Prefixes.apply, some)
    assert gradgradcheck(Prefixes.apply, some)


def test_nothing_but_queries_keys_and_values_is_kept_for_the_backward_pass():
    kept = {}

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes() // tensor.itemsize
        return tensor

    heads = random_heads(1, 1, 4096, 4096)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        attend(*heads, mask=Causal(), method=LinearAttention())
    assert sum(kept.values()) < 8 * sum(each.numel() for each in heads)


def test_a_text_that_is_read_token_by_token_sees_the_same():
    layer, x = MultiHead(16, 2, method=LinearAttention()).eval(), torch.randn(2, 100, 16)
    with torch.no_grad():
        whole, cache = layer(x, mask=Causal()), Cache()
        parts = [layer(part, mask=Causal(), cache=cache) for part in x.split([80, 1, 1, 18], 1)]
    assert_close(torch.cat(parts, 1), whole, rtol=1e-4, atol=1e-5)


def test_an_unknown_feature_map_is_named():
    with pytest.raises(UnknownName, match="unknown feature map 'gelu'"):
        LinearAttention("gelu")
