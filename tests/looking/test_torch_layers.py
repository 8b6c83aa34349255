"""torch.nn's own attention: what is seen is what the layer says itself."""

import pytest
import torch
from looking.readers import stream
from torch import nn
from torch.testing import assert_close

import regard
from regard.errors import ShapeError

WIDTH, HEADS = 8, 2
CLOSE = {"rtol": 1e-5, "atol": 1e-6}


def layer(batch_first=True, **given) -> nn.MultiheadAttention:
    made = nn.MultiheadAttention(WIDTH, HEADS, batch_first=batch_first, **given)
    for weight in made.parameters():
        nn.init.normal_(weight, std=0.5)
    return made


def masks(queries: int, keys: int, batch: int) -> dict[str, dict[str, torch.Tensor]]:
    """Every way to tell torch's layer what may not be seen; some key is always left."""
    bools = (torch.rand(queries, keys) > 0.6).index_fill(1, torch.tensor([0]), False)
    each = (torch.rand(batch * HEADS, queries, keys) > 0.6).index_fill(2, torch.tensor([0]), False)
    padding = torch.zeros(batch, keys, dtype=torch.bool)
    padding[0, keys - 2 :] = True
    floats, float_padding = torch.randn(queries, keys), torch.randn(batch, keys)
    return {
        "none": {},
        "bool": {"attn_mask": bools},
        "bool for every head": {"attn_mask": each},
        "float": {"attn_mask": floats},
        "float with -inf": {"attn_mask": floats.masked_fill(bools, -torch.inf)},
        "float for every head": {"attn_mask": torch.randn(batch * HEADS, queries, keys)},
        "padding": {"key_padding_mask": padding},
        "float padding": {"key_padding_mask": float_padding},
        "bool and padding": {"attn_mask": bools, "key_padding_mask": padding},
        "float and float padding": {"attn_mask": floats, "key_padding_mask": float_padding},
    }


MASKS = list(masks(2, 3, 1))


def same(attention: nn.MultiheadAttention, *given: torch.Tensor, **told) -> regard.Pattern:
    """Watched, the layer answers as before and is seen as it says; the pattern."""
    expected, weights = attention(*given, **told, need_weights=True, average_attn_weights=False)
    with regard.watch(attention) as seen:
        found, nothing = attention(*given, **told, need_weights=False)
        again, mine = attention(*given, **told, average_attn_weights=False)
        _, mean = attention(*given, **told)
    assert nothing is None
    assert_close(found, expected, **CLOSE)
    assert_close(again, expected, **CLOSE)
    assert_close(mine, weights, **CLOSE)
    assert_close(mean, weights.mean(-3), **CLOSE)
    pattern = seen["self"].weights()
    assert_close(pattern if given[0].ndim == 3 else pattern[0], weights, **CLOSE)
    return seen["self"]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("extra", [{}, {"add_bias_kv": True, "add_zero_attn": True}])
def test_what_is_seen_is_what_the_layer_says_itself_under_every_mask(mask, extra):
    x, source = torch.randn(3, 4, WIDTH), torch.randn(3, 6, WIDTH)
    pattern = same(layer(**extra), x, source, source, **masks(4, 6, 3)[mask])
    assert pattern.shape == (3, HEADS, 4, 6 + len(extra))


@pytest.mark.parametrize("mask", MASKS)
def test_length_may_come_first(mask):
    x, source = torch.randn(4, 3, WIDTH), torch.randn(6, 3, WIDTH)
    same(layer(batch_first=False), x, source, source, **masks(4, 6, 3)[mask])


@pytest.mark.parametrize("mask", MASKS)
def test_there_may_be_no_batch(mask):
    x, source = torch.randn(4, WIDTH), torch.randn(6, WIDTH)
    told = masks(4, 6, 1)[mask]
    if "key_padding_mask" in told:
        told["key_padding_mask"] = told["key_padding_mask"][0]
    same(layer(), x, source, source, **told)


@pytest.mark.parametrize(
    "given",
    [{"bias": False}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 5, "vdim": 7}, {"kdim": 5, "vdim": 5}],
)
def test_every_way_to_set_the_layer_up(given):
    key, value = torch.randn(2, 6, given.get("kdim", WIDTH)), torch.randn(2, 6, given.get("vdim", WIDTH))
    same(layer(**given), torch.randn(2, 4, WIDTH), key, value)


def test_a_causal_hint_needs_its_mask():
    attention, x = layer(), stream(length=4)
    ahead = nn.Transformer.generate_square_subsequent_mask(4)
    same(attention, x, x, x, attn_mask=ahead, is_causal=True)
    with pytest.raises(ShapeError, match="a mask expected, got none"), regard.watch(attention):
        attention(x, x, x, is_causal=True, need_weights=False)


def test_gradients_are_those_of_the_layer():
    attention, x = layer(add_bias_kv=True), stream()
    wanted = torch.randn(2, 5, WIDTH)
    (attention(x, x, x)[0] * wanted).sum().backward()
    before = [weight.grad.clone() for weight in attention.parameters()]
    attention.zero_grad()
    with regard.watch(attention):
        (attention(x, x, x)[0] * wanted).sum().backward()
    for weight, old in zip(attention.parameters(), before, strict=True):
        assert_close(weight.grad, old, rtol=1e-4, atol=1e-5)


def test_a_loss_of_the_weights_can_be_differentiated():
    attention, x, wanted = layer(), stream(), torch.randn(2, HEADS, 5, 5)
    with regard.watch(attention, grad=True) as seen:
        attention(x, x, x)
    (seen["self"].weights() * wanted).sum().backward()
    found = attention.in_proj_weight.grad.clone()
    attention.zero_grad()
    (attention(x, x, x, average_attn_weights=False)[1] * wanted).sum().backward()
    assert_close(found, attention.in_proj_weight.grad, rtol=1e-4, atol=1e-6)


# ---- blocks and models of torch.nn


def shaken(model: nn.Module) -> nn.Module:
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.3)
    return model


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("norm_first", [False, True])
def test_an_encoder_is_seen_whatever_path_it_would_take(norm_first, padded, grad):
    """Without gradients torch.nn has a closed path, with padding even one in which padded positions are packed away."""
    block = nn.TransformerEncoderLayer(WIDTH, HEADS, 12, 0.0, batch_first=True, norm_first=norm_first)
    model = shaken(nn.TransformerEncoder(block, 2, enable_nested_tensor=not norm_first)).eval()
    x = stream()
    attention_mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    told = {"src_key_padding_mask": ~attention_mask} if padded else {}
    with torch.set_grad_enabled(grad):
        before = model(x, **told)
        with regard.watch(model) as seen:
            watched = model(x, **told)
        with regard.watch(model, "*.self") as layers_only:
            model(x, **told)
        after = model(x, **told)
    kept = attention_mask if padded else torch.ones_like(attention_mask)
    assert_close(watched[kept], before[kept], rtol=1e-5, atol=2e-6)
    assert torch.equal(after, before)
    assert list(seen) == list(layers_only) == ["0.self", "1.self"]
    assert torch.equal(seen.stream("1"), watched)
    first = model.layers[0]
    inner = first.norm1(x) if norm_first else x
    _, weights = first.self_attn(
        inner, inner, inner, key_padding_mask=~attention_mask if padded else None, average_attn_weights=False
    )
    assert_close(seen["0.self"].weights(), weights, **CLOSE)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_a_whole_transformer_is_seen(batch_first, training):
    model = shaken(nn.Transformer(WIDTH, HEADS, 1, 2, 12, 0.0, batch_first=batch_first)).train(training)
    source, target = stream(length=6), stream(length=4)
    given = (source, target) if batch_first else (source.transpose(0, 1), target.transpose(0, 1))
    ahead = nn.Transformer.generate_square_subsequent_mask(4)
    before = model(*given, tgt_mask=ahead, tgt_is_causal=True)
    with regard.watch(model) as seen:
        watched = model(*given, tgt_mask=ahead, tgt_is_causal=True)
    assert_close(watched, before, rtol=1e-5, atol=2e-6)
    assert {name: pattern.shape for name, pattern in seen.items()} == {
        "encoder.0.self": (2, HEADS, 6, 6),
        "decoder.0.self": (2, HEADS, 4, 4),
        "decoder.0.cross": (2, HEADS, 4, 6),
        "decoder.1.self": (2, HEADS, 4, 4),
        "decoder.1.cross": (2, HEADS, 4, 6),
    }
    assert (seen["decoder.1.self"].weights().triu(1) == 0).all()
    assert seen.stream("encoder.0").shape == source.shape
    assert seen.stream("decoder.1").shape == target.shape


def test_streams_have_the_batch_first_even_where_there_is_none():
    x = torch.randn(5, WIDTH)
    for batch_first in (True, False):
        block = nn.TransformerEncoderLayer(WIDTH, HEADS, 12, 0.0, batch_first=batch_first).eval()
        with regard.watch(block) as seen:
            out = block(x)
        assert torch.equal(seen.stream("block")[0], out)


# ---- edits


@pytest.mark.parametrize("head", [0, 1])
def test_a_head_that_is_off_adds_nothing(head):
    attention, x = layer(), stream()
    expected = []
    hook = attention.out_proj.register_forward_pre_hook(lambda _, given: expected.append(given[0].clone()))
    with regard.edit(attention) as edit:  # torch's own path does not call its output projection
        edit.head("self", head).scale(1.0)
        attention(x, x, x)
    hook.remove()
    whole = expected[0].unflatten(-1, (HEADS, -1))
    whole[:, :, head] = 0
    with regard.edit(attention) as edit:
        edit.head("self", head).off()
        found, _ = attention(x, x, x)
    assert torch.equal(found, attention.out_proj(whole.flatten(2)))


def test_edits_of_torchs_layers_are_those_of_the_formula():
    attention, x = layer(), stream()
    query, key, value = (
        part.unflatten(-1, (HEADS, -1)).transpose(1, 2)
        for part in nn.functional.linear(x, attention.in_proj_weight, attention.in_proj_bias).chunk(3, -1)
    )
    scores = query @ key.transpose(-1, -2) / 2
    scores[:, 1] /= 0.4
    scores[..., 3] = -torch.inf
    weights = torch.softmax(scores, -1)
    weights[:, 0, 2] = torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0])
    each = weights @ value
    each[:, 1] *= 3
    with regard.edit(attention) as edit:
        edit.hide([3])
        edit.head("self", 1).temperature(0.4).scale(3)
        edit.head("self", 0).set([1.0, 0.0, 0.0, 0.0, 0.0], rows=[2])
        found, told = attention(x, x, x, average_attn_weights=False)
    assert_close(found, attention.out_proj(each.transpose(1, 2).flatten(2)), rtol=1e-4, atol=1e-5)
    assert_close(told, weights, **CLOSE)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_an_edit_reaches_an_encoder_on_its_fast_path():
    block = nn.TransformerEncoderLayer(WIDTH, HEADS, 12, 0.0, batch_first=True)
    model, x = nn.TransformerEncoder(block, 2).eval(), stream()
    padded = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])

    def run() -> torch.Tensor:
        with regard.edit(model) as edit:
            edit.head("0.self", 0).off()
            return model(x, src_key_padding_mask=padded)

    with torch.no_grad():
        plain, quick = model(x, src_key_padding_mask=padded), run()
    assert_close(quick, run().detach(), **CLOSE)
    assert not torch.allclose(quick[~padded], plain[~padded], atol=1e-4)


# ---- nothing is left behind


class Stop(Exception):
    pass


def everything(model: nn.Module) -> list[tuple]:
    """All that a module holds, by identity."""
    return [
        (name, {key: dict(value) if isinstance(value, dict) else id(value) for key, value in vars(module).items()})
        for name, module in model.named_modules()
    ]


def test_afterwards_the_modules_are_exactly_as_they_were():
    model, x = nn.Transformer(WIDTH, HEADS, 1, 1, 12, 0.0, batch_first=True), stream()
    before = everything(model)

    def stopped() -> None:
        with regard.watch(model), regard.edit(model) as edit:
            edit.hide([0])
            with regard.watch(model, "encoder.0.self"):
                model(x, x)
            raise Stop

    with pytest.raises(Stop):
        stopped()
    assert everything(model) == before
    for module in model.modules():
        assert not {"taps", "forward"} & vars(module).keys()
        assert not module._forward_hooks
        assert not module._forward_pre_hooks


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("mask", ["none", "numbers"])
@pytest.mark.parametrize("autocast", [False, True])
def test_a_watched_layer_puts_out_the_same_bits_whether_or_not_it_is_asked_for_weights(need_weights, mask, autocast):
    torch.manual_seed(0)
    attention = nn.MultiheadAttention(16, 2, batch_first=True).eval()
    x, y = torch.randn(3, 5, 16), torch.randn(3, 7, 16)
    given = {"need_weights": need_weights, "attn_mask": None if mask == "none" else torch.randn(5, 7)}
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        output, weights = attention(x, y, y, **given)
        with regard.watch(attention) as seen:
            watched, watched_weights = attention(x, y, y, **given)
    assert torch.equal(output, watched)
    assert watched.dtype == output.dtype
    if need_weights:
        assert torch.equal(weights, watched_weights)
        assert (next(iter(seen.values())).weights().mean(1) - weights).abs().max() < (1e-2 if autocast else 1e-6)
