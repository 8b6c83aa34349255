"""docs/misreadings.md: each misreading settled."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

import regard
from regard.attention import Causal, DenseMask, Padding, Pattern, attend
from regard.layers import FeedForward, MultiHead, TransformerBlock


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# ---- in cross-attention the query comes from the decoder


def decoder_block():
    norm = lambda: nn.LayerNorm(16)  # noqa: E731
    return TransformerBlock(MultiHead(16, 2), FeedForward(16, 32), norm, cross=MultiHead(16, 2, source_width=16))


@pytest.mark.parametrize("make", [decoder_block, lambda: nn.TransformerDecoderLayer(16, 2, 32, 0.0, batch_first=True)])
def test_the_target_asks_and_the_source_answers(make):
    block, target, source = make(), torch.randn(1, 3, 16), torch.randn(1, 5, 16)

    def cross(target, source):
        with regard.watch(block, values=True) as seen:
            block(target, source)
        return seen["cross"]

    plain = cross(target, source)
    other_source, other_target = cross(target, torch.randn(1, 5, 16)), cross(torch.randn(1, 3, 16), source)
    assert plain.shape == (1, 2, 3, 5)
    assert torch.equal(other_source.query, plain.query)
    assert not torch.allclose(other_source.key, plain.key)
    assert not torch.allclose(other_source.value, plain.value)
    assert torch.equal(other_target.key, plain.key)
    assert torch.equal(other_target.value, plain.value)
    assert not torch.allclose(other_target.query, plain.query)


# ---- the softmax is taken over keys, for each query


def test_rows_sum_to_one_and_columns_do_not():
    weights = Pattern(*torch.randn(2, 1, 2, 4, 8).unbind()).weights()
    assert_close(weights.sum(-1), torch.ones(1, 2, 4))
    assert not torch.allclose(weights.sum(-2), torch.ones(1, 2, 4), atol=1e-2)


def test_it_is_the_softmax_of_the_last_dimension():
    query, key = torch.randn(1, 2, 3, 8), torch.randn(1, 2, 5, 8)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(8)
    assert_close(Pattern(query, key).weights(), F.softmax(scores, dim=3))
    assert not torch.allclose(Pattern(query, key).weights(), F.softmax(scores, dim=2), atol=1e-2)


def test_one_query_knows_nothing_of_another():
    query, key = torch.randn(1, 1, 3, 8), torch.randn(1, 1, 5, 8)
    other = query.clone()
    other[:, :, 1:] = torch.randn(1, 1, 2, 8)
    assert_close(Pattern(query, key).row(0), Pattern(other, key).row(0))


# ---- the scale is that of the head


@pytest.mark.parametrize(("width", "heads"), [(64, 4), (64, 1), (24, 3)])
def test_scores_are_divided_by_the_root_of_the_heads_width(width, heads):
    layer, x = MultiHead(width, heads), torch.randn(2, 6, width)
    with regard.watch(layer) as seen:
        layer(x)
    query, key, _ = layer.qkv(x).unflatten(-1, (3, heads, width // heads)).permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-1, -2)
    assert_close(seen["self"].weights(), F.softmax(scores / math.sqrt(width // heads), -1))
    if heads > 1:
        assert not torch.allclose(seen["self"].weights(), F.softmax(scores / math.sqrt(width), -1), atol=1e-3)


def test_torchs_own_layer_divides_by_the_same():
    ours, theirs = MultiHead(64, 4), nn.MultiheadAttention(64, 4, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(ours.qkv.weight)
        theirs.in_proj_bias.copy_(ours.qkv.bias)
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    x = torch.randn(2, 6, 64)
    output, weights = theirs(x, x, x, average_attn_weights=False)
    with regard.watch(ours) as seen:
        assert_close(ours(x), output)
    assert_close(seen["self"].weights(), weights)


# ---- a mask adds -inf; it zeroes no input


@pytest.fixture
def heads():
    return torch.randn(3, 1, 2, 4, 8).unbind()


MASK = Padding.from_lengths([3], keys=4)


def test_a_mask_is_minus_infinity_before_the_softmax(heads):
    query, key, value = heads
    scores = query @ key.transpose(-1, -2) / math.sqrt(8) + torch.tensor([0, 0, 0, -torch.inf])
    weights = F.softmax(scores, -1)
    assert_close(Pattern(query, key, mask=MASK).weights(), weights)
    assert_close(attend(query, key, value, mask=MASK), weights @ value)


def test_a_mask_is_as_if_the_key_were_not_there(heads):
    query, key, value = heads
    assert_close(attend(query, key, value, mask=MASK), attend(query, key[:, :, :3], value[:, :, :3]))


def test_a_key_of_zeros_still_takes_its_share(heads):
    query, key, value = heads
    zeroed, nothing = key.clone(), value.clone()
    zeroed[:, :, 3], nothing[:, :, 3] = 0, 0
    share = 1 / (1 + (query @ key[:, :, :3].transpose(-1, -2) / math.sqrt(8)).exp().sum(-1))  # e⁰ of the whole
    assert_close(Pattern(query, zeroed).column(3), share)
    assert share.min() > 0.01
    assert not torch.allclose(attend(query, zeroed, nothing), attend(query, key, value, mask=MASK), atol=1e-2)


def test_weights_zeroed_afterwards_have_to_be_divided_anew(heads):
    query, key, _ = heads
    kept = Pattern(query, key).weights() * torch.tensor([1, 1, 1, 0])
    assert kept.sum(-1).max() < 1
    assert_close(kept / kept.sum(-1, keepdim=True), Pattern(query, key, mask=MASK).weights())


def test_a_large_negative_number_is_not_enough_where_nothing_may_be_seen(heads):
    query, key, value = heads
    nothing = torch.zeros(4, 4, dtype=torch.bool)
    with_a_number = F.softmax(query @ key.transpose(-1, -2) / math.sqrt(8) - 1e9, -1)
    assert with_a_number.sum(-1).min() > 0.99  # weights of keys that nobody may see
    assert Pattern(query, key, mask=DenseMask(nothing)).weights().eq(0).all()
    assert attend(query, key, value, mask=nothing).eq(0).all()


# ---- True = may look


def test_true_lets_look_here_and_in_torchs_function(heads):
    may_look = torch.rand(4, 4) < 0.5
    may_look |= torch.eye(4, dtype=torch.bool)
    assert_close(attend(*heads, mask=may_look), F.scaled_dot_product_attention(*heads, attn_mask=may_look))


def test_true_forbids_in_torchs_layer():
    layer, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(1, 4, 8)
    forbidden = torch.zeros(4, 4, dtype=torch.bool)
    forbidden[:, 2] = True
    _, theirs = layer(x, x, x, attn_mask=forbidden, average_attn_weights=False)
    with regard.watch(layer) as seen:
        layer(x, x, x, attn_mask=forbidden)
    assert seen["self"].column(2).eq(0).all()
    assert_close(seen["self"].weights(), theirs)


# ---- the last query stands beside the last key


def test_the_newest_token_sees_every_key(heads):
    query, key, value = heads
    newest = query[:, :, -1:]
    assert_close(attend(newest, key, value, mask=Causal()), attend(query, key, value, mask=Causal())[:, :, -1:])
    top_left = F.scaled_dot_product_attention(newest, key, value, is_causal=True)
    assert_close(top_left, value[:, :, :1])  # torch aligns to the top left: the first key alone


# ---- a causal mask hides what comes later


def test_a_later_word_changes_nothing_before_it_and_an_earlier_one_does():
    layer, x = MultiHead(16, 2), torch.randn(1, 5, 16)
    plain = layer(x, mask=Causal())
    for changed in range(5):
        other = x.clone()
        other[:, changed] += 1
        differs = (layer(other, mask=Causal()) - plain).abs().amax(-1)[0] > 1e-6
        assert differs.tolist() == [position >= changed for position in range(5)]


# ---- heads see a set


@pytest.mark.parametrize("heads", [1, 2, 4, 8])
def test_more_heads_see_no_order(heads):
    layer, x, shuffle = MultiHead(16, heads), torch.randn(1, 6, 16), torch.randperm(6)
    assert_close(layer(x)[:, shuffle], layer(x[:, shuffle]))


# ---- a position is a vector of waves


def test_every_dimension_has_a_wave_of_its_own():
    from regard.positions import Sinusoidal

    waves = Sinusoidal(16).embed(torch.zeros(1, 200, 16), torch.arange(200)[None])[0]
    turns = (waves.diff(dim=0).sign().diff(dim=0) != 0).sum(0)[::2]  # of the sines, from fast to slow
    assert turns.tolist() == sorted(turns.tolist(), reverse=True)
    assert turns[0] > 50
    assert turns[-1] == 0
    assert torch.pdist(waves).min() > 0.1  # no two positions are alike


# ---- gates pass gradients on


def test_every_gate_of_an_lstm_has_a_gradient_that_a_difference_confirms():
    lstm = nn.LSTM(3, 3, batch_first=True).double()
    x = torch.randn(1, 5, 3).double()
    lstm(x)[0].sum().backward()
    for gate in range(4):
        row, step = 3 * gate, 1e-6
        with torch.no_grad():
            lstm.weight_hh_l0[row, 0] += step
            up = lstm(x)[0].sum()
            lstm.weight_hh_l0[row, 0] -= 2 * step
            down = lstm(x)[0].sum()
            lstm.weight_hh_l0[row, 0] += step
        assert_close(lstm.weight_hh_l0.grad[row, 0], (up - down) / (2 * step), rtol=1e-4, atol=1e-9)
        assert lstm.weight_hh_l0.grad[row, 0] != 0


# ---- parameters


def test_the_parameters_are_those_of_the_formulas():
    def count(module):
        return sum(weight.numel() for weight in module.parameters())

    d = 64
    assert count(nn.LSTM(d, d)) == 4 * (2 * d * d + 2 * d)
    assert count(nn.GRU(d, d)) == 3 * (2 * d * d + 2 * d)
    assert count(MultiHead(d, 4)) == 4 * (d * d + d)
    assert count(FeedForward(d, 4 * d)) == 8 * d * d + 5 * d


# ---- attention is no linear map


def test_twice_the_input_is_not_twice_the_output_but_twice_the_values_are():
    layer, x = MultiHead(16, 2), torch.randn(1, 5, 16)
    zero = layer(torch.zeros_like(x))
    assert not torch.allclose(layer(2 * x) - zero, 2 * (layer(x) - zero), atol=1e-2)
    query, key, value = torch.randn(3, 1, 2, 5, 8).unbind()
    assert_close(attend(query, key, 2 * value), 2 * attend(query, key, value))


def test_scores_do_not_depend_on_how_many_keys_there_are():
    query, key = torch.randn(1, 2, 3, 8), torch.randn(1, 2, 50, 8)
    few = Pattern(query, key[:, :, :4]).scores(slice(0, 3), slice(0, 4))
    assert torch.equal(few, Pattern(query, key).scores(slice(0, 3), slice(0, 4)))
    assert_close(few, query @ key[:, :, :4].mT / math.sqrt(8))
