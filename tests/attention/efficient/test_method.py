"""What holds for every attention method, over the table: its Pattern is what it used, watched and edited as others."""

from dataclasses import replace

import pytest
import torch
from attention.test_attend import Editor, Watcher
from attention.test_memory import Largest
from torch.testing import assert_close

import regard
from regard.attention import Additive, AlibiBias, Causal, GraphMask, Padding, Pattern, Window, attend
from regard.attention.efficient import ATTENTION_METHODS
from regard.errors import RegardError
from regard.layers import MultiHead

N = 150
CLOSE = {"rtol": 1e-6, "atol": 1e-9}
PADDED = {side: Padding.from_lengths([N, 77], side) for side in ("left", "right")}
MASKS = {"none": None, "causal": Causal(), "padded": PADDED["right"], "causal, padded": Causal() & PADDED["left"]}
CALLS = [
    (name, mask)
    for name, method in ATTENTION_METHODS.items()
    for mask in MASKS
    if method.sees_tokens or "causal" not in mask
]
TOKENS = [name for name, method in ATTENTION_METHODS.items() if method.sees_tokens]
SLOTS = [name for name in ATTENTION_METHODS if name not in TOKENS]


def example(name, length=N):
    return ATTENTION_METHODS[name].example(width=24, heads=3, length=length)


def heads(method, length=N, width=8, dtype=torch.float64):
    query, key = torch.randn(2, 2, 3, length, width, dtype=dtype).unbind()
    value = torch.randn(2, 3, length, width + 1, dtype=dtype)
    query, key, value = (each.requires_grad_() for each in (query, key, value))
    return (query, query if method.shares else key, value)


def leaves(method, query, key, value):
    return [query, value, *([] if method.shares else [key]), *method.parameters()]


def used(method, query, key, value, mask=None):
    """The weights that a method says it uses, gathered with as anybody would."""
    pattern = method.pattern(Pattern(query, key, mask=mask, value=value))
    return pattern.weights() @ pattern.values


def test_every_method_says_what_it_promises():
    assert all(method.promise for method in ATTENTION_METHODS.values())


@pytest.mark.parametrize("name", SLOTS)
def test_a_method_that_does_not_see_tokens_takes_no_causal_mask_and_hides_none(name):
    method = example(name).double()
    with pytest.raises(RegardError, match="Causal"):
        attend(*heads(method), method=method, mask=Causal())
    with pytest.raises(RegardError, match="hidden"):
        attend(*heads(method), method=method, taps=(Editor(lambda p: p.hide([3])),))


@pytest.mark.parametrize(("name", "mask"), CALLS)
def test_the_pattern_is_what_was_used_and_so_are_its_gradients(name, mask):
    method, watcher = example(name).double(), Watcher()
    query, key, value = heads(method)
    output = attend(query, key, value, mask=MASKS[mask], method=method, taps=(watcher,))
    dense = used(method, query, key, value, MASKS[mask])
    assert_close(output, dense, **CLOSE)
    assert torch.equal(output, attend(query, key, value, mask=MASKS[mask], method=method))
    toward = torch.randn_like(output)
    every = leaves(method, query, key, value)
    for mine, meant in zip(
        torch.autograd.grad(output, every, toward), torch.autograd.grad(dense, every, toward), strict=True
    ):
        assert_close(mine, meant, **CLOSE)
    (seen,) = watcher.seen
    assert_close(seen.weights() @ seen.values, output, **CLOSE)
    half = slice(3, seen.shape[3] // 2)  # by what was known of its rows, not from whole rows
    assert_close(seen[:, :, :, half], seen.weights()[..., half], **CLOSE)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
@pytest.mark.parametrize("fill", [torch.nan, 1e30])
def test_what_stands_in_padded_positions_changes_nothing(name, fill):
    method = example(name).double()
    query, key, value = (each.detach() for each in heads(method))
    rubbish = ~PADDED["right"].attention_mask[:, None, :, None]
    clean = attend(query, query if method.shares else key, value, mask=PADDED["right"], method=method)
    query, key, value = (each.masked_fill(rubbish, fill) for each in (query, key, value))
    dirty = attend(query, query if method.shares else key, value, mask=PADDED["right"], method=method)
    assert_close(dirty[1, :, :77], clean[1, :, :77], **CLOSE)
    assert_close(dirty[0], clean[0], **CLOSE)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
def test_a_head_is_switched_off_and_rows_are_set_by_hand(name):
    method = example(name).double()
    query, key, value = heads(method)
    columns = method.pattern(Pattern(query, key, value=value)).shape[3]
    mine = torch.rand(1, 1, 2, columns, dtype=torch.float64).softmax(-1)

    def change(pattern):
        return pattern.scale(0.0, 1).set(mine, heads=[2], rows=[4, 9])

    watcher = Watcher()
    output = attend(query, key, value, method=method, taps=(Editor(change), watcher))
    plain = attend(query, key, value, method=method)
    assert (output[:, 1] == 0).all()
    assert torch.equal(output[:, 0], plain[:, 0])
    (seen,) = watcher.seen
    assert_close(output[:, 2, [4, 9]], mine[0, 0] @ seen.values[:, 2], **CLOSE)
    assert_close(seen.weights()[:, 2] @ seen.values[:, 2], output[:, 2], **CLOSE)


@pytest.mark.parametrize("name", TOKENS)
def test_a_hidden_token_has_no_weight_and_no_influence(name):
    method, watcher = example(name).double(), Watcher()
    query, key, value = heads(method)
    output = attend(query, key, value, mask=Causal(), method=method, taps=(Editor(lambda p: p.hide([30])), watcher))
    (seen,) = watcher.seen
    weights = seen.weights()
    assert (weights[..., 30] == 0).all()
    assert (method.pattern(Pattern(query, key, mask=Causal(), value=value)).weights()[..., 30] != 0).any()
    assert_close(weights @ seen.values, output, **CLOSE)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
def test_a_temperature_is_honoured_or_refused(name):
    method, watcher = example(name).double(), Watcher()
    query, key, value = heads(method)
    if not method.pattern(Pattern(query, key, value=value)).normaliser.tempers:
        with pytest.raises(RegardError, match="has no temperature"):
            attend(query, key, value, method=method, taps=(Editor(lambda p: p.with_temperature(0.3, [0])),))
        return
    output = attend(query, key, value, method=method, taps=(Editor(lambda p: p.with_temperature(0.3, [0])), watcher))
    (seen,) = watcher.seen
    assert_close(seen.weights() @ seen.values, output, **CLOSE)
    plain = attend(query, key, value, method=method)
    assert not torch.allclose(output[:, 0], plain[:, 0])
    assert torch.equal(output[:, 1:], plain[:, 1:])


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
    name, arguments, line = UNSUITABLE[what]
    method = example(name)
    with pytest.raises(RegardError, match=line):
        attend(*heads(method, dtype=torch.float32), method=method, **arguments)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
def test_nobody_holds_queries_x_keys(name, backward):
    """Four times as long, the largest tensor is hardly more than four times as large."""

    def largest(length):
        method = example(name, length)
        query, key, value = heads(method, length, dtype=torch.float32)
        mask = Causal() if method.sees_tokens else None
        with Largest() as held, torch.set_grad_enabled(backward):
            output = attend(query, key, value, mask=mask, method=method)
            if backward:
                output.sum().backward()
        return held.numbers

    assert largest(4096) <= 5 * largest(1024)


@pytest.mark.parametrize("name", ATTENTION_METHODS)
def test_it_is_a_part_of_a_layer_that_is_watched_and_edited_by_name(name):
    method = example(name)
    layer, x = MultiHead(24, 3, method=method).double(), torch.randn(2, N, 24, dtype=torch.float64)
    assert layer.qkv.out_features == (48 if method.shares else 72)
    mask = Causal() & PADDED["left"] if method.sees_tokens else None
    with regard.watch(layer, values=True) as seen:
        output = layer(x, mask=mask)
    pattern = seen["self"]
    gathered = pattern.weights() @ pattern.values
    assert_close(layer.output(gathered.transpose(1, 2).flatten(2)), output, **CLOSE)
    with regard.edit(layer) as edit:
        edit.head("self", [0, 1, 2]).off()
        assert_close(layer(x, mask=mask), layer.output.bias.expand_as(output))


def test_in_half_precision_the_answer_is_near_and_of_the_same_dtype():
    for name in ATTENTION_METHODS:
        method = example(name)
        query, key, value = (each.detach() for each in heads(method, dtype=torch.float32))
        query, key, value = (each.bfloat16() for each in (query, key, value))
        key = query if method.shares else key
        output = attend(query, key, value, method=method)
        assert output.dtype == torch.bfloat16
        meant = replace(method.pattern(Pattern(query, key, value=value)), row_statistics=None)
        assert_close(output.float(), meant.weights() @ meant.values.float(), rtol=0, atol=3e-2)
