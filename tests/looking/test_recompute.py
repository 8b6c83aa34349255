"""Blocks that keep nothing compute everything twice, and the same."""

import torch
from looking.families import WORDS, made
from torch.testing import assert_close

from regard.layers import TransformerBlock
from regard.looking.recompute import call_number, recomputing


def test_gradients_are_the_same_and_blocks_run_twice():
    model, tokens = made("albert")[0], torch.randint(3, WORDS, (2, 6))
    model(tokens).square().sum().backward()
    expected = {name: weight.grad.clone() for name, weight in model.named_parameters()}
    model.zero_grad()
    calls = []
    feed_forward = model.encoder.stack.blocks[0].feed_forward
    feed_forward.register_forward_hook(lambda *_: calls.append(call_number()))
    with recomputing(model):
        model(tokens).square().sum().backward()
    for name, weight in model.named_parameters():
        assert_close(weight.grad, expected[name], rtol=1e-4, atol=1e-4)
    assert calls[:3] == [0, 1, 2]  # one block, three depths
    assert calls[3:] == [2, 1, 0]  # the last first
    assert call_number() is None


def test_without_a_gradient_nothing_is_computed_twice():
    model, tokens = made("gpt2")[0], torch.randint(3, WORDS, (2, 6))
    calls = []
    for block in model.modules():
        if isinstance(block, TransformerBlock):
            block.feed_forward.register_forward_hook(lambda *_: calls.append(call_number()))
    with torch.no_grad(), recomputing(model):
        found = model(tokens)
    assert calls == [None, None]
    assert torch.equal(found, model(tokens))
