"""verify() finds nothing where watching changes nothing, and says so where it does."""

import json

import pytest
import torch

import regard
from regard.errors import RegardError
from regard.looking import live

transformers = pytest.importorskip("transformers")


def llama():
    config = transformers.LlamaConfig(
        vocab_size=61, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        intermediate_size=24,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config).eval()


def inputs():
    tokens = torch.randint(5, 61, (2, 9))
    mask = torch.ones_like(tokens)
    mask[0, :3] = 0
    return {"input_ids": tokens, "attention_mask": mask}


def test_a_model_that_is_watched_rightly_holds():
    checked = regard.verify(llama(), **inputs()).require()
    assert checked.holds
    assert checked.output == 0
    assert [layer.layer for layer in checked.layers] == ["decoder.0.self", "decoder.1.self"]
    assert all(layer.alone == 0 and layer.weights < 1e-5 for layer in checked.layers)
    assert "nothing differs" in repr(checked)
    assert json.loads(json.dumps(checked.plain()))["holds"] is True


def test_weights_that_are_not_the_models_own_are_found(monkeypatch):
    from regard.looking.live import intercept

    right = intercept.fused_pattern
    monkeypatch.setattr(intercept, "fused_pattern", lambda call, given: right(call, given).with_temperature(1.5))
    checked = regard.verify(llama(), **inputs())
    assert not checked.holds
    assert len(checked.differences) == 2
    with pytest.raises(RegardError, match=r"decoder\.0\.self, weights: "):
        checked.require()


def test_an_output_that_watching_changes_is_found(monkeypatch):
    from regard.looking.live import intercept

    monkeypatch.setattr(intercept, "run", lambda given: (given.query * 0 + 1, None))
    checked = regard.verify(llama(), **inputs())
    assert checked.output > 1e-5
    assert "all layers watched" in checked.differences[0]


def test_the_model_is_left_as_it_was():
    model = llama()
    regard.verify(model, **inputs())
    assert model.config._attn_implementation == "sdpa"
    assert not any("taps" in vars(module) or module._forward_pre_hooks for module in model.modules())
    assert live.is_live(model)


def test_our_own_models_are_checked_too():
    model = regard.load("shakespeare").model
    checked = regard.verify(model, torch.randint(0, 1000, (2, 12)))
    assert checked.holds
    assert "no eager attention" in checked.note
