import math

import pytest
import torch
from torch.testing import assert_close

from regard.attention import Additive, Dot, Local, Padding, Pattern, attend
from regard.errors import ShapeError


def placed(heads=2, queries=4, keys=9, width=3):
    """Queries that look around positions of their own, and keys that know where they stand."""
    query, key = torch.randn(2, heads, queries, width + 1).double(), torch.randn(2, heads, keys, width + 1).double()
    query[..., -1] = torch.rand(2, heads, queries) * (keys - 1)
    key[..., -1] = torch.arange(keys)
    return query, key, torch.randn(2, heads, keys, 5).double()


def luong(query, key, reach, fades, inner, hidden=()):
    """Eq. 7 and 10 of Luong et al. 2015, one weight at a time."""
    weights = torch.zeros(*query.shape[:3], key.shape[2], dtype=query.dtype)
    for b, h, i in torch.cartesian_prod(*map(torch.arange, query.shape[:3])).tolist():
        centre = query[b, h, i, -1]
        window = [s for s in range(key.shape[2]) if centre - reach <= s <= centre + reach and s not in hidden]
        scores = {s: inner(query[b, h, i, :-1], key[b, h, s, :-1], h) for s in window}
        total = sum(math.exp(score) for score in scores.values())
        for s in window:
            weights[b, h, i, s] = math.exp(scores[s]) / total
            if fades:
                weights[b, h, i, s] *= math.exp(-((s - centre) ** 2) / (2 * (reach / 2) ** 2))
    return weights


@pytest.mark.parametrize("fades", [False, True])
@pytest.mark.parametrize("reach", [1, 2, 20])
def test_the_weights_are_those_of_the_paper(reach, fades):
    query, key, value = placed()
    vector = torch.randn(2, 3).double()
    inners = {
        "dot": (Dot(1.0), lambda q, k, h: (q @ k).item()),
        "additive": (Additive(vector), lambda q, k, h: (vector[h] @ torch.tanh(q + k)).item()),
    }
    for score, plain in inners.values():
        local = Local(score, reach, fades)
        expected = luong(query, key, reach, fades, plain)
        pattern = Pattern(query, key, local, value=value)
        assert_close(pattern.weights(), expected)
        assert_close(attend(query, key, value, score=local), expected @ value)
        assert_close(pattern[1, 1, 1:3, 2:7], expected[1, 1, 1:3, 2:7])
        assert_close(pattern.top(3).weights, expected.topk(3).values)
        assert_close(pattern.received(), expected.sum(2))
        edited = luong(query, key, reach, fades, plain, hidden=(3,))
        assert_close(pattern.hide([3]).weights(), edited)


def test_padding_hides_keys_of_a_local_look_too():
    query, key, value = placed()
    local = Local(Dot(1.0), 3, fades=True)
    attention_mask = torch.arange(9) < 6
    centred = query.clone()
    centred[..., -1] = query[..., -1].clamp(max=5)
    found = attend(centred, key, value, score=local, mask=Padding(attention_mask[None]))
    assert_close(found, attend(centred, key[:, :, :6], value[:, :, :6], score=local))


def test_where_to_look_is_learned_through_the_gaussian():
    query, key, value = placed(heads=1, queries=2)
    query.requires_grad_()
    local = Local(Dot(1.0), 4, fades=True)
    assert torch.autograd.gradcheck(lambda q: attend(q, key, value, score=local), query)
    attend(query, key, value, score=local).sum().backward()
    assert query.grad[..., -1].abs().min() > 0


def test_what_does_not_fit_is_said():
    query, key, _ = placed()
    with pytest.raises(ShapeError, match="reaches 1 position or more, got 0"):
        Local(Dot(), 0)
    with pytest.raises(ShapeError, match="key has 2 numbers in each vector, expected 3"):
        Pattern(query, key[..., 1:], Local(Dot(), 2))
