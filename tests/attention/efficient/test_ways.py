"""What holds for every way to compare fewer pairs: its Pattern is what it used, watched and edited like any other."""

from dataclasses import replace

import pytest
import torch
from attention.test_attend import Editor, Watcher
from attention.test_memory import Largest
from torch.testing import assert_close

import regard
from regard.attention import Additive, AlibiBias, Causal, GraphMask, Padding, Pattern, Window, attend
from regard.attention.efficient import (
    ATTENTION_METHODS,
    LinearAttention,
    LowRankAttention,
    LSHAttention,
    WindowAttention,
)
from regard.errors import RegardError
from regard.layers import MultiHead

N = 150
SOME = {
    "window": lambda: WindowAttention(20, 7),
    "lsh": lambda: LSHAttention(rounds=3, chunk=8),
    "linear": LinearAttention,
    "low-rank": lambda: LowRankAttention(200, slots=16),
}
CLOSE = {"rtol": 1e-6, "atol": 1e-9}
PADDED = {side: Padding.from_lengths([N, 77], side) for side in ("left", "right")}
MASKS = {"none": None, "causal": Causal(), "padded": PADDED["right"], "causal, padded": Causal() & PADDED["left"]}
CALLS = [(way, mask) for way in ATTENTION_METHODS for mask in MASKS if way != "low-rank" or "causal" not in mask]


def heads(way, length=N, width=8, dtype=torch.float64):
    query, key = torch.randn(2, 2, 3, length, width, dtype=dtype).unbind()
    value = torch.randn(2, 3, length, width + 1, dtype=dtype)
    query, key, value = (each.requires_grad_() for each in (query, key, value))
    return (query, query if way.shares else key, value)


def leaves(way, query, key, value):
    return [query, value, *([] if way.shares else [key]), *way.parameters()]


def used(way, query, key, value, mask=None):
    """The weights that a way says it uses, gathered with as anybody would."""
    pattern = way.pattern(Pattern(query, key, mask=mask, value=value))
    return pattern.weights() @ pattern.values


def test_there_is_an_example_of_every_way():
    assert SOME.keys() == ATTENTION_METHODS.keys()
    assert all(way.promise for way in ATTENTION_METHODS.values())


@pytest.mark.parametrize(("name", "mask"), CALLS)
def test_the_pattern_is_what_was_used_and_so_are_its_gradients(name, mask):
    way, watcher = SOME[name]().double(), Watcher()
    query, key, value = heads(way)
    found = attend(query, key, value, mask=MASKS[mask], method=way, taps=(watcher,))
    dense = used(way, query, key, value, MASKS[mask])
    assert_close(found, dense, **CLOSE)
    assert torch.equal(found, attend(query, key, value, mask=MASKS[mask], method=way))
    toward = torch.randn_like(found)
    every = leaves(way, query, key, value)
    for mine, meant in zip(
        torch.autograd.grad(found, every, toward), torch.autograd.grad(dense, every, toward), strict=True
    ):
        assert_close(mine, meant, **CLOSE)
    (seen,) = watcher.seen
    assert_close(seen.weights() @ seen.values, found, **CLOSE)
    half = slice(3, seen.shape[3] // 2)  # by what was known of its rows, not from whole rows
    assert_close(seen[:, :, :, half], seen.weights()[..., half], **CLOSE)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
@pytest.mark.parametrize("fill", [torch.nan, 1e30])
def test_what_stands_in_padded_places_changes_nothing(name, fill):
    way = SOME[name]().double()
    query, key, value = (each.detach() for each in heads(way))
    rubbish = ~PADDED["right"].attention_mask[:, None, :, None]
    clean = attend(query, query if way.shares else key, value, mask=PADDED["right"], method=way)
    query, key, value = (each.masked_fill(rubbish, fill) for each in (query, key, value))
    dirty = attend(query, query if way.shares else key, value, mask=PADDED["right"], method=way)
    assert_close(dirty[1, :, :77], clean[1, :, :77], **CLOSE)
    assert_close(dirty[0], clean[0], **CLOSE)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
def test_a_head_is_switched_off_and_rows_are_set_by_hand(name):
    way = SOME[name]().double()
    query, key, value = heads(way)
    columns = way.pattern(Pattern(query, key, value=value)).shape[3]
    mine = torch.rand(1, 1, 2, columns, dtype=torch.float64).softmax(-1)

    def change(pattern):
        return pattern.scale(0.0, 1).set(mine, heads=[2], rows=[4, 9])

    watcher = Watcher()
    found = attend(query, key, value, method=way, taps=(Editor(change), watcher))
    plain = attend(query, key, value, method=way)
    assert (found[:, 1] == 0).all()
    assert torch.equal(found[:, 0], plain[:, 0])
    (seen,) = watcher.seen
    assert_close(found[:, 2, [4, 9]], mine[0, 0] @ seen.values[:, 2], **CLOSE)
    assert_close(seen.weights()[:, 2] @ seen.values[:, 2], found[:, 2], **CLOSE)


@pytest.mark.parametrize("name", ["window", "lsh", "linear"])
def test_a_hidden_token_has_no_weight_and_no_influence(name):
    way, watcher = SOME[name]().double(), Watcher()
    query, key, value = heads(way)
    found = attend(query, key, value, mask=Causal(), method=way, taps=(Editor(lambda p: p.hide([30])), watcher))
    (seen,) = watcher.seen
    weights = seen.weights()
    assert (weights[..., 30] == 0).all()
    assert (way.pattern(Pattern(query, key, mask=Causal(), value=value)).weights()[..., 30] != 0).any()
    assert_close(weights @ seen.values, found, **CLOSE)


@pytest.mark.parametrize("name", ["window", "lsh", "low-rank"])
def test_a_temperature_is_honoured(name):
    way, watcher = SOME[name]().double(), Watcher()
    query, key, value = heads(way)
    found = attend(query, key, value, method=way, taps=(Editor(lambda p: p.with_temperature(0.3, [0])), watcher))
    (seen,) = watcher.seen
    assert_close(seen.weights() @ seen.values, found, **CLOSE)
    plain = attend(query, key, value, method=way)
    assert not torch.allclose(found[:, 0], plain[:, 0])
    assert torch.equal(found[:, 1:], plain[:, 1:])


REFUSED = {
    "a temperature": ("linear", lambda p: p.with_temperature(2.0), "has no temperature"),
    "a hidden token": ("low-rank", lambda p: p.hide([3]), "a token cannot be hidden there"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_edit_that_means_nothing_is_refused_in_one_line(what):
    name, change, line = REFUSED[what]
    way = SOME[name]().double()
    with pytest.raises(RegardError, match=line):
        attend(*heads(way), method=way, taps=(Editor(change),))


UNSUITABLE = {
    "a graph for lsh": ("lsh", {"mask": GraphMask(torch.eye(N))}, "takes Causal and Padding, got GraphMask"),
    "a window for linear": ("linear", {"mask": Window(3)}, "takes Causal and Padding, got Window"),
    "causal for low-rank": ("low-rank", {"mask": Causal()}, "takes Padding, got Causal"),
    "a bias for linear": ("linear", {"bias": AlibiBias(torch.rand(3))}, "adds nothing to its scores"),
    "a bias for lsh": ("lsh", {"bias": AlibiBias(torch.rand(3))}, "adds nothing to its scores"),
    "another score": ("low-rank", {"score": Additive(torch.randn(3, 8))}, "softmax of dot products, got Additive"),
    "dropout for linear": ("linear", {"dropout": 0.1}, "drops no weights"),
    "dropout for lsh": ("lsh", {"dropout": 0.1}, "drops no weights"),
}


@pytest.mark.parametrize("what", UNSUITABLE)
def test_what_a_way_cannot_do_is_refused_in_one_line(what):
    name, told, line = UNSUITABLE[what]
    way = SOME[name]()
    with pytest.raises(RegardError, match=line):
        attend(*heads(way, dtype=torch.float32), method=way, **told)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_nobody_holds_queries_x_keys(name, backward):
    """Four times as long, the largest tensor is hardly more than four times as large."""

    def largest(length):
        way = LowRankAttention(length, slots=16) if name == "low-rank" else SOME[name]()
        query, key, value = heads(way, length, dtype=torch.float32)
        mask = None if name == "low-rank" else Causal()
        with Largest() as held, torch.set_grad_enabled(backward):
            found = attend(query, key, value, mask=mask, method=way)
            if backward:
                found.sum().backward()
        return held.numbers

    assert largest(4096) <= 5 * largest(1024)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
def test_it_is_a_part_of_a_layer_that_is_watched_and_edited_by_name(name):
    way = SOME[name]()
    layer, x = MultiHead(24, 3, method=way), torch.randn(2, N, 24)
    assert layer.qkv.out_features == (48 if way.shares else 72)
    mask = None if name == "low-rank" else Causal() & PADDED["left"]
    with regard.watch(layer, values=True) as seen:
        found = layer(x, mask=mask)
    pattern = seen["self"]
    gathered = pattern.weights() @ pattern.values
    assert_close(layer.output(gathered.transpose(1, 2).flatten(2)), found, rtol=1e-4, atol=1e-5)
    with regard.edit(layer) as edit:
        edit.head("self", [0, 1, 2]).off()
        assert_close(layer(x, mask=mask), layer.output.bias.expand_as(found))


def test_in_half_precision_the_answer_is_near_and_of_the_same_dtype():
    for name in ATTENTION_METHODS:
        way = SOME[name]()
        query, key, value = (each.detach() for each in heads(way, dtype=torch.float32))
        query, key, value = (each.bfloat16() for each in (query, key, value))
        key = query if way.shares else key
        found = attend(query, key, value, method=way)
        assert found.dtype == torch.bfloat16
        asked = Pattern(query, key, value=value)
        meant = replace(way.pattern(asked), row_statistics=None)
        assert_close(found.float(), meant.weights() @ meant.values.float(), rtol=0, atol=3e-2)
