"""Gradients through what was seen, with activation checkpointing and without."""

import pytest
import torch
from looking.readers import HEADS, WIDTH, Reader, dense, stream
from torch.testing import assert_close
from torch.utils.checkpoint import checkpoint

import regard
from regard.attention import Causal
from regard.layers import MultiHead
from regard.positions import RelativeBuckets

CLOSE = {"rtol": 1e-4, "atol": 1e-6}


def test_a_loss_of_the_weights_can_be_differentiated():
    model, x = Reader(), stream()
    wanted, allowed = torch.randn(2, HEADS, 5, 5), torch.ones(5, 5).tril().bool()
    with regard.watch(model, "encoder.0.self", grad=True) as seen:
        model(x, Causal())
    first = model.encoder.blocks[0]
    (seen["encoder.0.self"].weights() * wanted).sum().backward()
    found = first.self.qkv.weight.grad.clone()
    model.zero_grad()
    (dense(first.self, first.self_norm(x), allowed) * wanted).sum().backward()
    assert_close(found, first.self.qkv.weight.grad, **CLOSE)
    assert found.abs().sum() > 0


def test_a_loss_of_the_weights_reaches_a_learned_bias():
    layer, position, x = MultiHead(WIDTH, HEADS), RelativeBuckets(HEADS), stream()
    wanted = torch.randn(2, HEADS, 5, 5)
    with regard.watch(layer, grad=True) as seen:
        layer(x, bias=position.bias())
    (seen["self"][:, :, 1:4] * wanted[:, :, 1:4]).sum().backward()
    found = position.table.weight.grad.clone()
    position.zero_grad()
    query, key, _ = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in layer.qkv(x).chunk(3, -1))
    positions = torch.arange(5)
    scores = query @ key.transpose(-1, -2) / 2 + position.bias().tile(positions, positions)
    (torch.softmax(scores, -1)[:, :, 1:4] * wanted[:, :, 1:4]).sum().backward()
    assert_close(found, position.table.weight.grad, **CLOSE)


def test_a_loss_of_the_weights_and_of_the_answer_add_up():
    model, x = Reader(), stream()
    with regard.watch(model, grad=True) as seen:
        (model(x).square().sum() + seen["encoder.1.self"].logsumexp.sum()).backward()
    found = model.encoder.blocks[0].self.qkv.weight.grad.clone()
    parts = []
    for part in ("answer", "weights"):
        model.zero_grad()
        with regard.watch(model, grad=True) as seen:
            answer = model(x).square().sum()
            (answer if part == "answer" else seen["encoder.1.self"].logsumexp.sum()).backward()
        parts.append(model.encoder.blocks[0].self.qkv.weight.grad.clone())
    assert_close(found, sum(parts), rtol=1e-4, atol=1e-5)


def test_streams_have_a_gradient_for_those_who_ask():
    model = Reader()
    with regard.watch(model, grad=True) as seen:
        model(stream())
    seen.stream("encoder.0").sum().backward()
    assert model.encoder.blocks[0].self.qkv.weight.grad.abs().sum() > 0


# ---- activation checkpointing


@pytest.mark.parametrize("reentrant", [False, True])
def test_with_activation_checkpointing_each_layer_is_seen_once_and_gradients_are_equal(reentrant):
    model, x = Reader(), stream()

    def run(x, checkpointed):
        for some in model.encoder.blocks:
            x = checkpoint(some, x, use_reentrant=reentrant) if checkpointed else some(x)
        return x.square().sum()

    model.zero_grad()
    run(x.clone().requires_grad_(), False).backward()
    before = [weight.grad.clone() for weight in model.parameters()]
    model.zero_grad()
    with regard.watch(model) as seen:
        run(x.clone().requires_grad_(), True).backward()
    assert [len(seen.all(name)) for name in seen] == [1, 1]
    assert [len(seen.streams(f"encoder.{n}")) for n in (0, 1)] == [1, 1]
    for weight, old in zip(model.parameters(), before, strict=True):
        assert_close(weight.grad, old, **CLOSE)


def test_with_activation_checkpointing_a_loss_of_the_weights_can_be_differentiated():
    model, x = Reader(), stream()
    wanted = torch.randn(2, HEADS, 5, 5)
    grads = []
    for checkpointed in (False, True):
        model.zero_grad()
        with regard.watch(model, grad=True) as seen:
            out = checkpoint(model, x, use_reentrant=False) if checkpointed else model(x)
            (out.sum() + (seen["encoder.1.self"].weights() * wanted).sum()).backward()
        grads.append(model.encoder.blocks[0].self.qkv.weight.grad.clone())
    assert_close(*grads, **CLOSE)
