"""Shares of words, against products of whole matrices."""

import sys

import pytest
import torch
from looking.families import WORDS, made
from torch.testing import assert_close

import regard
from regard.errors import RegardError, ShapeError
from regard.looking import rollout
from regard.models import Transformer


def seen_by(kind, length=7, written=5):
    model = made(kind)[0]
    tokens, target = (torch.randint(3, WORDS, (2, size)) for size in (length, written))
    attention_mask = torch.arange(length) < torch.tensor([[length], [length - 3]])
    with torch.no_grad(), regard.watch(model) as seen:
        model(tokens, target, attention_mask=attention_mask) if isinstance(model, Transformer) else model(
            tokens, attention_mask=attention_mask
        )
    return seen


def layers(seen, side, kind):
    """The mean weights of all heads, layer by layer, each with half of the vector itself where it looks at its own."""
    found = []
    for layer in seen:
        if layer.startswith(side) and layer.endswith(kind):
            weights = seen[layer].weights().double().mean(1)
            eye = torch.eye(weights.shape[1], dtype=torch.float64) if kind == "self" else 0
            stays = 1 - weights.sum(-1, keepdim=True) / 2 if kind == "self" else 0
            found.append(weights / 2 + stays * eye)
    return found


def through(matrices):
    whole = torch.eye(matrices[0].shape[-1], dtype=torch.float64)
    for matrix in matrices:
        whole = matrix @ whole
    return whole


@pytest.mark.parametrize("kind", ["bert", "albert", "gpt2", "mistral"])
def test_a_stack_is_a_product_of_its_layers(kind):
    seen = seen_by(kind)
    found = rollout(seen)
    assert found.own.shape == (2, 7, 7)
    side = "decoder" if kind in ("gpt2", "mistral") else "encoder"
    assert found.source is None
    assert_close(found.own.double(), through(layers(seen, side, "self")), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["marian", "t5", "encoder-decoder"])
def test_what_a_decoder_takes_of_the_source_goes_on_through_the_encoder(kind):
    seen = seen_by(kind)
    found = rollout(seen)
    read = through(layers(seen, "encoder", "self"))
    own, source = torch.eye(5, dtype=torch.float64), torch.zeros(2, 5, 7, dtype=torch.float64)
    for look, across in zip(layers(seen, "decoder", "self"), layers(seen, "decoder", "cross"), strict=True):
        own, source = look @ own, look @ source
        own, source = own / 2, source / 2 + across @ read
    assert_close(found.own.double(), own, rtol=1e-4, atol=1e-6)
    assert_close(found.source.double(), source, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama", "t5", "marian"])
@pytest.mark.parametrize("residual", [0.0, 0.5, 1.0])
def test_rows_sum_to_1(kind, residual):
    found = rollout(seen_by(kind), residual=residual)
    parts = [found.own] + ([] if found.source is None else [found.source])
    assert_close(sum(part.sum(-1) for part in parts), torch.ones(found.own.shape[:2]))
    assert all((part >= -1e-6).all() for part in parts)


def test_some_queries_are_rows_of_all(monkeypatch):
    monkeypatch.setattr(sys.modules["regard.looking.rollout"], "ROWS", 2)
    seen = seen_by("marian")
    every, some = rollout(seen), rollout(seen, [3, 0])
    assert_close(some.own, every.own[:, [3, 0]])
    assert_close(some.source, every.source[:, [3, 0]])


def test_nothing_looks_ahead_in_a_decoder():
    assert torch.equal(rollout(seen_by("gpt2")).own.triu(1), torch.zeros(2, 7, 7))


def test_what_cannot_be_rolled_out_is_refused():
    seen = dict(seen_by("gpt2"))
    with pytest.raises(RegardError, match=r"all layers of the decoder expected, only \[1\] were watched"):
        rollout({"decoder.1.self": seen["decoder.1.self"]})
    with pytest.raises(RegardError, match=r"layers named encoder\.0\.self or decoder\.0\.self expected"):
        rollout({"align": seen["decoder.1.self"]})
    with pytest.raises(RegardError, match="a share from 0 to 1 stays"):
        rollout(seen, residual=2)
    pattern = regard.Pattern(torch.randn(1, 1, 2, 4), torch.randn(1, 1, 5, 4))
    with pytest.raises(ShapeError, match="a look of 2 tokens at 5 is a step of many"):
        rollout({"decoder.0.self": pattern})
