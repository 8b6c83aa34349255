"""What does not fit together is refused in one line: what was expected, and what came."""

import pytest
import torch
from attention.test_attend import random_heads

from regard.attention import (
    Additive,
    AlibiBias,
    BucketBias,
    Causal,
    DenseBias,
    DenseMask,
    GraphMask,
    Location,
    Padding,
    Pattern,
    Shaw,
    XLScore,
    attend,
)
from regard.errors import RegardError, ShapeError

pytestmark = pytest.mark.usefixtures("unchecked")


def zeros(*size, dtype=torch.float32):
    return torch.zeros(size, dtype=dtype)


GOOD = {"query": zeros(2, 4, 5, 8), "key": zeros(2, 2, 7, 8), "value": zeros(2, 2, 7, 3)}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"query": zeros(4, 5, 8)}, "query is (batch, heads, length, width), got (4, 5, 8)"),
        ({"key": zeros(2, 1, 2, 7, 8)}, "key is (batch, heads, length, width), got (2, 1, 2, 7, 8)"),
        ({"value": zeros(7, 3)}, "value is (batch, heads, length, width), got (7, 3)"),
        ({"query": zeros(2, 4, 5, 8, dtype=torch.long)}, "query is torch.int64, expected floating-point numbers"),
        ({"key": zeros(2, 2, 7, 8).double()}, "key is torch.float64, expected torch.float32 as the query is"),
        ({"value": zeros(2, 2, 7, 3).half()}, "value is torch.float16, expected torch.float32 as the query is"),
        ({"key": zeros(3, 2, 7, 8)}, "key has 3 batch members, expected 2"),
        ({"key": zeros(2, 3, 7, 8)}, "key has 3 heads, which cannot be shared evenly by 4 query heads"),
        ({"key": zeros(2, 2, 7, 9)}, "key has 9 numbers in each vector, expected 8"),
        ({"value": zeros(1, 2, 7, 3)}, "value has 1 batch members, expected 2"),
        ({"value": zeros(2, 4, 7, 3)}, "value has 4 heads, expected 2"),
        ({"value": zeros(2, 2, 6, 3)}, "value has 6 positions, expected 7"),
        (
            {"mask": zeros(5, 7)},
            "DenseMask takes bool, True = may look, got torch.float32; to add numbers use bias=DenseBias(…)",
        ),
        ({"mask": zeros(5, 6).bool()}, "DenseMask has 6 keys, expected 7"),
        ({"mask": zeros(4, 7).bool()}, "DenseMask has 4 queries, expected 5 or 1"),
        ({"mask": DenseMask(zeros(3, 1, 5, 7).bool())}, "DenseMask has 3 batch members, expected 2 or 1"),
        ({"mask": DenseMask(zeros(2, 3, 5, 7).bool())}, "DenseMask has 3 heads, expected 4 or 1"),
        ({"mask": Padding.from_lengths([7, 7, 7])}, "Padding has 3 rows, expected 2 or 1"),
        ({"mask": Causal() & Padding.from_lengths([6, 5])}, "Padding has 6 positions, expected 7"),
        ({"mask": ~(Causal() | Padding.from_lengths([6, 5]))}, "Padding has 6 positions, expected 7"),
        ({"mask": GraphMask(zeros(6, 6))}, "GraphMask has 6 nodes, expected 7"),
        ({"bias": AlibiBias(zeros(3))}, "AlibiBias has 3 slopes, expected 4"),
        ({"bias": BucketBias(zeros(3, 5))}, "BucketBias has 3 heads, expected 4"),
        ({"bias": DenseBias(zeros(1, 4, 5, 6))}, "DenseBias has 6 keys, expected 7"),
        ({"bias": DenseBias(zeros(1, 4, 4, 7))}, "DenseBias has 4 queries, expected 5 or 1"),
        ({"bias": DenseBias(zeros(1, 2, 5, 7))}, "DenseBias has 2 heads, expected 4 or 1"),
        ({"bias": DenseBias(zeros(3, 1, 5, 7))}, "DenseBias has 3 batch members, expected 2 or 1"),
        ({"score": Additive(zeros(3, 8))}, "Additive has 3 heads, expected 4"),
        ({"score": Additive(zeros(4, 7))}, "Additive has 7 numbers in each vector, expected 8"),
        ({"score": Location(zeros(4, 6, 8))}, "Location knows 6 positions, got 7 keys"),
        ({"score": Location(zeros(4, 7, 6))}, "Location has 6 numbers in each vector, expected 8"),
        ({"score": Shaw(zeros(2, 5, 8))}, "Shaw has 2 heads, expected 4"),
        ({"score": Shaw(zeros(4, 5, 7))}, "Shaw has 7 numbers in each vector, expected 8"),
        ({"score": XLScore(zeros(2, 8), zeros(2, 8), zeros(2, 9, 8))}, "XLScore has 2 heads, expected 4"),
        (
            {"score": XLScore(zeros(4, 6), zeros(4, 6), zeros(4, 9, 6))},
            "XLScore has 6 numbers in each vector, expected 8",
        ),
        ({"score": XLScore(zeros(4, 8), zeros(4, 8), zeros(4, 6, 8))}, "XLScore knows 6 distances back, got 7 keys"),
    ],
    ids=lambda case: case.replace(" ", "-") if isinstance(case, str) else "",
)
def test_a_call_that_does_not_fit_is_refused_in_one_line(wrong, told):
    with pytest.raises(ShapeError) as caught:
        attend(**{**GOOD, **wrong})
    assert str(caught.value) == told


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda p: p.hide([7]), "there is no token at position 7: 7 of them, counted from 0"),
        (lambda p: p.hide([-8]), "there is no token at position -8: 7 of them, counted from 0"),
        (lambda p: p.hide(zeros(2, 6).bool()), "Padding has 6 positions, expected 7"),
        (
            lambda p: p.hide(zeros(7).bool()),
            "Padding takes bool of (batch, keys), True = a token, got torch.bool of (7,)",
        ),
        (lambda p: p.with_temperature(0), "a temperature is above 0, got 0"),
        (lambda p: p.with_temperature(float("nan")), "a temperature is above 0, got nan"),
        (lambda p: p.with_temperature(2.0, [4]), "there is no head 4: 4 of them, counted from 0"),
        (lambda p: p.scale(0, -5), "there is no head -5: 4 of them, counted from 0"),
        (lambda p: p.scale(zeros(3)), "a factor that fits (batch or 1, 4 heads) expected, got (3,)"),
        (lambda p: p.scale(zeros(3, 4)), "factor has 3 batch members, expected 2 or 1"),
        (lambda p: p.set(zeros(7), rows=5), "there is no query 5: 5 of them, counted from 0"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused_in_one_line(edit, told):
    pattern = Pattern(GOOD["query"], GOOD["key"])
    with pytest.raises(RegardError) as caught:
        edit(pattern)
    assert str(caught.value) == told


def test_a_graph_has_a_node_for_every_query():
    query, key, value = random_heads(queries=5, keys=3)
    with pytest.raises(ShapeError, match="GraphMask has 3 nodes, expected one for each of 5 queries"):
        attend(query, key, value, mask=GraphMask(torch.ones(3, 3)))
