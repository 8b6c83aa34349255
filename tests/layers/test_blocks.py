from functools import partial

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from regard.attention import Causal, Padding, Window
from regard.attention.taps import Tap, active
from regard.errors import ShapeError
from regard.layers import NORMS, FeedForward, LocalView, MultiHead, Stack, TransformerBlock
from regard.positions import Rotary, positions_of

WIDTH, HEADS, INNER = 12, 3, 20
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def copy_attention(ours: MultiHead, theirs: nn.MultiheadAttention) -> None:
    for name in ("weight", "bias"):
        whole = getattr(theirs, f"in_proj_{name}")
        if ours.crosses:
            getattr(ours.query, name).copy_(whole[:WIDTH])
            getattr(ours.kv, name).copy_(whole[WIDTH:])
        else:
            getattr(ours.qkv, name).copy_(whole)
        getattr(ours.output, name).copy_(getattr(theirs.out_proj, name))


@torch.no_grad()
def copy_block(ours: TransformerBlock, theirs: nn.Module) -> None:
    """The weights of torch's encoder or decoder layer."""
    copy_attention(ours.self, theirs.self_attn)
    ours.self_norm.load_state_dict(theirs.norm1.state_dict())
    last = theirs.norm2
    if ours.cross is not None:
        copy_attention(ours.cross, theirs.multihead_attn)
        ours.cross_norm.load_state_dict(theirs.norm2.state_dict())
        last = theirs.norm3
    ours.feed_forward_norm.load_state_dict(last.state_dict())
    ours.feed_forward.widen.load_state_dict(theirs.linear1.state_dict())
    ours.feed_forward.narrow.load_state_dict(theirs.linear2.state_dict())


def block(pre_norm=True, cross=False, activation="relu", dropout=0.0) -> TransformerBlock:
    return TransformerBlock(
        MultiHead(WIDTH, HEADS),
        FeedForward(WIDTH, INNER, activation),
        partial(nn.LayerNorm, WIDTH),
        cross=MultiHead(WIDTH, HEADS, source_width=WIDTH) if cross else None,
        pre_norm=pre_norm,
        dropout=dropout,
    )


def shaken(module: nn.Module) -> nn.Module:
    """Weights with nothing special about them: biases and norms, too."""
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.4)
    return module


@pytest.mark.parametrize("pre_norm", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_block_is_torchs_encoder_layer_in_output_and_gradients(pre_norm, activation):
    theirs = shaken(
        nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, 0.0, activation, batch_first=True, norm_first=pre_norm)
    )
    ours = block(pre_norm, activation=activation)
    copy_block(ours, theirs)
    x = torch.randn(2, 5, WIDTH)
    padded = torch.tensor([[False] * 5, [False, False, False, True, True]])
    mine, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    found = ours(mine, mask=Padding(~padded))
    expected = theirs(other, src_key_padding_mask=padded)
    assert_close(found, expected, **CLOSE)
    (found.cos().sum() + expected.cos().sum()).backward()
    assert_close(mine.grad, other.grad, **CLOSE)
    assert_close(ours.feed_forward.widen.weight.grad, theirs.linear1.weight.grad, **CLOSE)
    assert_close(ours.self_norm.weight.grad, theirs.norm1.weight.grad, **CLOSE)


@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_block_with_a_source_is_torchs_decoder_layer_in_output_and_gradients(pre_norm):
    theirs = shaken(nn.TransformerDecoderLayer(WIDTH, HEADS, INNER, 0.0, batch_first=True, norm_first=pre_norm))
    ours = block(pre_norm, cross=True)
    copy_block(ours, theirs)
    x, source = torch.randn(2, 5, WIDTH), torch.randn(2, 7, WIDTH)
    padded = torch.tensor([[False] * 7, [False] * 4 + [True] * 3])
    mine, other = source.clone().requires_grad_(), source.clone().requires_grad_()
    found = ours(x, mine, mask=Causal(), source_mask=Padding(~padded))
    ahead = torch.ones(5, 5, dtype=torch.bool).triu(1)
    expected = theirs(x, other, tgt_mask=ahead, memory_key_padding_mask=padded)
    assert_close(found, expected, **CLOSE)
    (found.cos().sum() + expected.cos().sum()).backward()
    assert_close(mine.grad, other.grad, **CLOSE)
    assert_close(ours.cross.query.weight.grad, theirs.multihead_attn.in_proj_weight.grad[:WIDTH], **CLOSE)


@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_stack_is_torchs_encoder(pre_norm):
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, INNER, 0.0, batch_first=True, norm_first=pre_norm)
    theirs = shaken(nn.TransformerEncoder(layer, 3, nn.LayerNorm(WIDTH), enable_nested_tensor=False))
    ours = Stack([block(pre_norm) for _ in range(3)], nn.LayerNorm(WIDTH))
    for mine, other in zip(ours.blocks, theirs.layers, strict=True):
        copy_block(mine, other)
    ours.norm.load_state_dict(theirs.norm.state_dict())
    x = torch.randn(2, 5, WIDTH)
    assert_close(ours(x), theirs(x), **CLOSE)


def test_a_stack_hands_everything_to_every_block():
    stack = Stack([block(cross=True) for _ in range(2)])
    x, source, positions, rotary = torch.randn(2, 5, WIDTH), torch.randn(2, 4, WIDTH), positions_of(None, 5), Rotary(4)
    told = {
        "mask": Causal(),
        "source_mask": Padding.from_lengths([3, 4]),
        "position": rotary,
        "positions": positions,
    }
    expected = stack.blocks[1](stack.blocks[0](x, source, **told), source, **told)
    assert torch.equal(stack(x, source, **told), expected)
    for missing in ("mask", "source_mask", "position"):
        less = {name: part for name, part in told.items() if name != missing}
        assert not torch.allclose(stack(x, source, **less), expected)


@pytest.mark.parametrize("name", NORMS)
def test_any_norm_will_do(name):
    ours = TransformerBlock(MultiHead(WIDTH, HEADS), FeedForward(WIDTH, INNER, gated=True), partial(NORMS[name], WIDTH))
    assert ours(torch.randn(2, 5, WIDTH)).shape == (2, 5, WIDTH)


def test_dropout_is_for_training_only():
    ours, x = block(dropout=0.5), torch.randn(2, 5, WIDTH)
    plain = block()
    plain.load_state_dict(ours.state_dict())
    assert torch.equal(ours.eval()(x), plain(x))
    assert not torch.equal(ours.train()(x), plain(x))


class Passed(Tap):
    def __init__(self) -> None:
        self.streams = []

    def block_output(self, x):
        self.streams.append(x)


def test_a_tap_on_a_block_is_shown_what_it_puts_out():
    ours, x, tap = block(), torch.randn(2, 5, WIDTH), Passed()
    ours.taps = (tap,)
    ours(x)
    with active(tap):
        out = ours(x)
    assert [stream is out for stream in tap.streams] == [True]


def test_errors_say_what_was_expected_and_what_came(unchecked):
    x = torch.randn(2, 5, WIDTH)
    with pytest.raises(ShapeError, match="looks at a source, and none was given"):
        block(cross=True)(x)
    with pytest.raises(ShapeError, match="this block has no attention to a source"):
        block()(x, x)


def small_block(**options) -> TransformerBlock:
    feed_forward = options.pop("feed_forward", FeedForward(WIDTH, INNER))
    return TransformerBlock(MultiHead(WIDTH, HEADS), feed_forward, partial(nn.LayerNorm, WIDTH), **options)


@pytest.mark.parametrize("pre_norm", [True, False])
def test_without_residuals_what_a_part_gives_takes_the_place_of_the_stream(pre_norm):
    block, x = small_block(pre_norm=pre_norm, is_residual=False), torch.randn(2, 5, WIDTH)
    if pre_norm:
        expected = block.feed_forward(block.feed_forward_norm(block.self(block.self_norm(x))))
    else:
        expected = block.feed_forward_norm(block.feed_forward(block.self_norm(block.self(x))))
    assert_close(block(x), expected)


def test_without_a_feed_forward_layer_a_block_is_attention_alone():
    block, x = small_block(feed_forward=None), torch.randn(2, 5, WIDTH)
    assert_close(block(x), x + block.self(block.self_norm(x)))
    assert not [name for name, _ in block.named_parameters() if "feed_forward" in name]


def test_parts_side_by_side_read_the_same_stream():
    block = TransformerBlock(
        MultiHead(WIDTH, HEADS), FeedForward(WIDTH, INNER), partial(nn.LayerNorm, WIDTH), is_parallel=True
    )
    x = torch.randn(2, 5, WIDTH)
    expected = x + block.self(block.self_norm(x)) + block.feed_forward(block.feed_forward_norm(x))
    assert_close(block(x), expected)
    with pytest.raises(ShapeError, match="side by side"):
        TransformerBlock(MultiHead(WIDTH, HEADS), None, partial(nn.LayerNorm, WIDTH), pre_norm=False, is_parallel=True)


@pytest.mark.parametrize("pre_norm", [True, False])
def test_what_a_part_puts_out_is_normalised_before_it_is_added(pre_norm):
    norm = partial(nn.RMSNorm, WIDTH)
    block = TransformerBlock(MultiHead(WIDTH, HEADS), None, norm, pre_norm=pre_norm, output_norm=True)
    x = torch.randn(2, 5, WIDTH)
    change = block(x) - x
    assert_close(change.square().mean(-1), torch.ones(2, 5), rtol=1e-3, atol=1e-3)
    assert (block.self_output_norm is not None) == pre_norm


def test_layers_see_near_unless_they_are_global():
    blocks = [TransformerBlock(MultiHead(WIDTH, HEADS), None, partial(nn.LayerNorm, WIDTH)) for _ in range(2)]
    x, near = torch.randn(1, 6, WIDTH), LocalView(Window(0, 0), None, None)
    everywhere, own = Stack(blocks, global_layers=[0, 1]), Stack(blocks)
    assert_close(everywhere(x, local=near), Stack(blocks)(x))
    assert_close(own(x, local=near), own(x, mask=Window(0, 0)))
    first = Stack(blocks, global_layers=[0])
    assert_close(first(x, local=near), blocks[1](blocks[0](x), mask=Window(0, 0)))
