import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from regard.attention import SCORES, AlibiBias, Causal, DenseBias, DenseMask, Padding, Window, attend
from regard.attention.taps import Tap, active
from regard.errors import ShapeError
from regard.layers import HeadSplit, MultiHead
from regard.positions import Alibi, LearnedPositions, RelativeBuckets, Rotary, Sinusoidal, positions_of

CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def twin(width=12, heads=3, source_width=None, bias=True) -> tuple[MultiHead, nn.MultiheadAttention]:
    """Our layer and torch's with the same weights."""
    theirs = nn.MultiheadAttention(width, heads, bias=bias, batch_first=True, kdim=source_width, vdim=source_width)
    for weight in theirs.parameters():
        nn.init.normal_(weight, std=0.3)
    ours = MultiHead(width, heads, source_width=source_width, bias=bias)
    with torch.no_grad():
        if source_width is None:
            ours.qkv.weight.copy_(theirs.in_proj_weight)
            if bias:
                ours.qkv.bias.copy_(theirs.in_proj_bias)
        else:
            ours.query.weight.copy_(theirs.q_proj_weight)
            ours.kv.weight.copy_(torch.cat([theirs.k_proj_weight, theirs.v_proj_weight]))
            if bias:
                ours.query.bias.copy_(theirs.in_proj_bias[:width])
                ours.kv.bias.copy_(theirs.in_proj_bias[width:])
        ours.output.load_state_dict(theirs.out_proj.state_dict())
    return ours, theirs


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("mask", ["none", "causal", "padding"])
def test_it_is_torchs_own_layer_in_output_and_gradients(bias, mask):
    ours, theirs = twin(bias=bias)
    x = torch.randn(2, 5, 12)
    padded = torch.tensor([[False] * 5, [False, False, False, True, True]])
    told = {
        "none": (None, {}),
        "causal": (Causal(), {"attn_mask": torch.ones(5, 5, dtype=torch.bool).triu(1)}),
        "padding": (Padding(~padded), {"key_padding_mask": padded}),
    }[mask]
    mine, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    found, expected = ours(mine, mask=told[0]), theirs(other, other, other, **told[1])[0]
    assert_close(found, expected, **CLOSE)
    (found.cos().sum() + expected.cos().sum()).backward()
    assert_close(mine.grad, other.grad, **CLOSE)
    assert_close(ours.qkv.weight.grad, theirs.in_proj_weight.grad, **CLOSE)
    assert_close(ours.output.weight.grad, theirs.out_proj.weight.grad, **CLOSE)
    if bias:
        assert_close(ours.qkv.bias.grad, theirs.in_proj_bias.grad, **CLOSE)


@pytest.mark.parametrize("bias", [True, False])
def test_looking_at_a_source_it_is_torchs_own_layer_too(bias):
    ours, theirs = twin(source_width=8, bias=bias)
    x, source = torch.randn(2, 5, 12), torch.randn(2, 7, 8)
    padded = torch.tensor([[False] * 7, [False] * 4 + [True] * 3])
    mine, other = source.clone().requires_grad_(), source.clone().requires_grad_()
    found = ours(x, mine, mask=Padding(~padded))
    expected, _ = theirs(x, other, other, key_padding_mask=padded)
    assert_close(found, expected, **CLOSE)
    (found.cos().sum() + expected.cos().sum()).backward()
    assert_close(mine.grad, other.grad, **CLOSE)
    assert_close(ours.query.weight.grad, theirs.q_proj_weight.grad, **CLOSE)
    assert_close(ours.kv.weight.grad, torch.cat([theirs.k_proj_weight.grad, theirs.v_proj_weight.grad]), **CLOSE)


def test_query_key_and_value_of_one_source_come_from_one_projection():
    assert [*dict(MultiHead(12, 3).named_children())] == ["qkv", "output"]
    assert [*dict(MultiHead(12, 3, source_width=8).named_children())] == ["query", "kv", "output"]


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_grouped_heads_are_heads_that_share_repeated_keys_and_values(groups):
    grouped, full = MultiHead(16, HeadSplit.of(16, 4, kv_heads=groups)), MultiHead(16, 4)
    with torch.no_grad():
        for whole, few in zip(full.qkv.parameters(), grouped.qkv.parameters(), strict=True):
            query, key, value = few.split([16, 4 * groups, 4 * groups])
            repeated = [
                x.unflatten(0, (groups, 4)).repeat_interleave(4 // groups, 0).flatten(0, 1) for x in (key, value)
            ]
            whole.copy_(torch.cat([query, *repeated]))
        full.output.load_state_dict(grouped.output.state_dict())
    x, mask = torch.randn(2, 6, 16), Causal()
    assert_close(grouped(x, mask=mask), full(x, mask=mask), **CLOSE)
    assert grouped.qkv.out_features == 16 + 2 * 4 * groups


def test_the_width_of_a_head_is_free():
    layer = MultiHead(10, HeadSplit.of(10, 3, head_width=4))
    x = torch.randn(2, 5, 10)
    query, key, value = (part.unflatten(-1, (3, 4)).transpose(1, 2) for part in layer.qkv(x).chunk(3, -1))
    weights = torch.softmax(query @ key.transpose(-1, -2) / 4**0.5, -1)
    assert_close(layer(x), layer.output((weights @ value).transpose(1, 2).flatten(2)), **CLOSE)


def test_biases_can_be_left_out_inside_and_outside():
    def biases(**given):
        return [name for name, _ in MultiHead(8, 2, **given).named_parameters() if name.endswith("bias")]

    assert biases() == ["qkv.bias", "output.bias"]
    assert biases(bias=False) == []
    assert biases(bias=False, output_bias=True) == ["output.bias"]
    assert biases(output_bias=False) == ["qkv.bias"]
    assert biases(source_width=4) == ["query.bias", "kv.bias", "output.bias"]
    assert biases(source_width=4, bias=False) == []


@pytest.mark.parametrize("name", SCORES)
def test_every_score_can_do_the_comparing(name):
    compare = SCORES[name](heads=3, width=4)
    layer = MultiHead(12, 3, score=compare)
    x = torch.randn(2, 6, 12)
    query, key, value = (layer.split_heads(part) for part in layer.qkv(x).chunk(3, -1))
    query, key, score = compare(query, key)
    positions = torch.arange(6)
    scores = score.tile(query, key, positions, positions).masked_fill(~torch.ones(6, 6).tril().bool(), -torch.inf)
    if name == "kernel":
        positive = torch.where(scores == -torch.inf, 0, scores)
        weights = positive / positive.sum(-1, keepdim=True)
    else:
        weights = torch.softmax(scores, -1)
    found = layer(x, mask=Causal())
    assert_close(found, layer.output((weights @ value).transpose(1, 2).flatten(2)), **CLOSE)
    found.square().sum().backward()
    assert all(weight.grad is not None and weight.grad.isfinite().all() for weight in layer.parameters())


@pytest.mark.parametrize("name", SCORES)
def test_every_score_can_compare_with_a_source(name):
    layer = MultiHead(12, 3, source_width=8, score=SCORES[name](heads=3, width=4))
    assert layer(torch.randn(2, 5, 12), torch.randn(2, 7, 8)).shape == (2, 5, 12)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", ["none", "sinusoidal", "learned", "rotary", "alibi", "buckets", "shaw", "xl"])
def test_padding_on_either_side_gives_real_tokens_the_same_answer(kind, side):
    position = {
        "sinusoidal": Sinusoidal(12),
        "learned": LearnedPositions(9, 12),
        "rotary": Rotary(4),
        "alibi": Alibi(3),
        "buckets": RelativeBuckets(3),
    }.get(kind)
    compare = SCORES[kind](heads=3, width=4) if kind in SCORES else None
    layer, x = MultiHead(12, 3, score=compare), torch.randn(1, 5, 12)

    def run(x, positions, mask):
        if position is None:
            return layer(x, mask=mask)
        x = position.embed(x, positions)
        return layer(x, mask=mask, bias=position.bias(), position=position, positions=positions)

    alone = run(x, positions_of(None, 5), Causal())
    padded, attention_mask = torch.randn(2, 9, 12), Padding.from_lengths([5, 9], side).attention_mask
    padded[0, attention_mask[0]] = x[0]
    together = run(padded, positions_of(attention_mask, 9), Causal() & Padding(attention_mask))
    assert_close(together[0, attention_mask[0]], alone[0], **CLOSE)


def test_positions_turn_queries_and_keys_and_leave_values():
    layer, rotary, positions = MultiHead(8, 2), Rotary(4), torch.arange(3, 8)[None]
    x = torch.randn(2, 5, 8)
    query, key, value = (layer.split_heads(part) for part in layer.qkv(x).chunk(3, -1))
    gathered = attend(rotary.rotate(query, positions), rotary.rotate(key, positions), value)
    expected = layer.output(gathered.transpose(1, 2).flatten(2))
    assert_close(layer(x, position=rotary, positions=positions), expected, **CLOSE)


class Once(Tap):
    """Counts how often it was asked, and by how many heads."""

    def __init__(self) -> None:
        self.heads = []

    def see(self, pattern):
        self.heads.append(pattern.shape[1])


def test_a_tap_works_only_where_it_is_active():
    layer, x, tap = MultiHead(8, 2), torch.randn(1, 3, 8), Once()
    layer.taps = (tap,)
    layer(x)
    assert tap.heads == []
    with active(tap):
        layer(x)
    layer(x)
    assert tap.heads == [2]


KINDS = {
    "none": ({}, None),
    "causal": ({"mask": Causal()}, None),
    "padding": ({"mask": Padding.from_lengths([4, 6], "left")}, None),
    "causal and padding": ({"mask": Causal() & Padding.from_lengths([4, 6])}, None),
    "window": ({"mask": Window(2, 1)}, None),
    "dense": ({"mask": DenseMask(torch.ones(6, 6).tril(1).bool())}, None),
    "alibi": ({"bias": AlibiBias(torch.tensor([0.5, 0.25, 0.125])), "mask": Causal()}, None),
    "buckets": ({"bias": RelativeBuckets(3).bias()}, None),
    "given": ({"bias": DenseBias(torch.linspace(-1, 1, 36).reshape(1, 1, 6, 6))}, None),
    **{name: ({"mask": Causal()}, name) for name in SCORES},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("grad", [True, False])
def test_watched_output_is_bit_equal_to_unwatched(kind, grad):
    arguments, compare = KINDS[kind]
    layer = MultiHead(12, 3, score=SCORES[compare](heads=3, width=4) if compare else None)
    x, tap = torch.randn(2, 6, 12), Once()
    with torch.set_grad_enabled(grad):
        before = layer(x, **arguments)
        layer.taps = (tap,)
        with active(tap):
            watched = layer(x, **arguments)
    assert tap.heads == [3]
    assert torch.equal(watched, before)


def test_dropout_is_for_training_only():
    layer, x = MultiHead(8, 2, dropout=0.5), torch.randn(1, 6, 8)
    plain = MultiHead(8, 2)
    plain.load_state_dict(layer.state_dict())
    assert not torch.allclose(layer.train()(x), plain(x))
    assert torch.equal(layer.eval()(x), plain(x))


def test_what_dropout_leaves_is_right_on_average():
    layer, x = MultiHead(8, 2, dropout=0.3), torch.randn(1, 6, 8)
    many = layer.train()(x.expand(4000, -1, -1)).mean(0)
    assert_close(many, layer.eval()(x)[0], rtol=0, atol=0.05)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_other_dtypes_run(dtype):
    layer, x = MultiHead(8, 2).to(dtype), torch.randn(2, 5, 8, dtype=dtype)
    assert layer(x, mask=Causal(), bias=Alibi(2).to(dtype).bias()).dtype == dtype


def test_autocast_casts_as_torchs_own_layer_does():
    ours, theirs = twin()
    x = torch.randn(2, 5, 12)
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
        found, expected = ours(x), theirs(x, x, x, need_weights=False)[0]
    assert found.dtype == expected.dtype == torch.bfloat16
    assert_close(found, expected, rtol=0.02, atol=0.02)


def test_an_empty_batch_and_an_empty_sequence_stay_empty():
    layer = MultiHead(8, 2)
    assert layer(torch.randn(0, 5, 8)).shape == (0, 5, 8)
    assert layer(torch.randn(2, 0, 8)).shape == (2, 0, 8)


def test_errors_say_what_was_expected_and_what_came(unchecked):
    own, across = MultiHead(8, 2), MultiHead(8, 2, source_width=6)
    x = torch.randn(2, 5, 8)
    with pytest.raises(ShapeError, match="looks at its own sequence: give source_width"):
        own(x, torch.randn(2, 4, 6))
    with pytest.raises(ShapeError, match="looks at a source, and none was given"):
        across(x)
    with pytest.raises(ShapeError, match="the stream has 7 numbers in each vector, expected 8"):
        own(torch.randn(2, 5, 7))
    with pytest.raises(ShapeError, match="the source has 8 numbers in each vector, expected 6"):
        across(x, x)
    with pytest.raises(ShapeError, match="Padding has 4 positions, expected 5"):
        own(x, mask=Padding.from_lengths([4, 4]))
    with pytest.raises(ShapeError, match="Padding has 3 rows, expected 2 or 1"):
        own(x, mask=Padding.from_lengths([5, 5, 5]))
    with pytest.raises(ShapeError, match="AlibiBias has 4 slopes, expected 2"):
        own(x, bias=Alibi(4).bias())
    with pytest.raises(ShapeError, match="key has 3 batch members, expected 2"):
        across(x, torch.randn(3, 4, 6))
    with pytest.raises(ShapeError, match="positions"):
        own(x, position=Rotary(4))


def test_all_parameters_learn():
    layer = MultiHead(8, HeadSplit.of(8, 4, kv_heads=2), source_width=6)
    F.mse_loss(layer(torch.randn(2, 5, 8), torch.randn(2, 3, 6)), torch.randn(2, 5, 8)).backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in layer.parameters())
