"""A pruned model does what the whole one does with those heads switched off, in every family and kind of attention."""

import json

import pytest
import torch
from looking.families import WITH_HEADS, answers, made
from torch import nn
from torch.testing import assert_close

import regard
from regard.attention import SCORES
from regard.checkpoints import load_model, save_model
from regard.config import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    PositionConfig,
    StackConfig,
)
from regard.config.pruning import pruned_heads
from regard.decoding import decode
from regard.engine import serve
from regard.errors import RegardError, UnknownName
from regard.layers import MultiHead
from regard.looking.layer_names import LayerNames
from regard.models import Decoder, DecoderConfig, ScoreConfig, Transformer

TAKEN = [[1], [0, 3], [2]]  # from one layer after the other; of two groups of heads uneven ones are left


def some_heads(model):
    """Different heads of every layer; the same ones under all names of a layer."""
    layer_names = LayerNames(model)
    layers = list(dict.fromkeys(layer_names.layers.values()))
    return {layer_name: TAKEN[layers.index(layer) % len(TAKEN)] for layer_name, layer in layer_names.layers.items()}


def gated(model, heads):
    """What the whole model says with the heads switched off."""
    with regard.edit(model) as edit:
        for layer, numbers in heads.items():
            edit.head(layer, numbers).off()
        return answers(model)


def alone(position=PositionConfig(), **attention):
    side = EmbeddedStackConfig(
        EmbeddingConfig(40),
        StackConfig(2, 24, AttentionConfig(**{"heads": 4, **attention}), FeedForwardConfig(32)),
        position,
    )
    torch.manual_seed(0)
    model = Decoder(DecoderConfig(side)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    return model


@pytest.mark.parametrize(
    "kind", [kind for kind in WITH_HEADS if kind not in ("olmo2", "masked-aligner")]
)  # the first one's heads are normalised together, the other refuses
def test_pruned_is_gated_and_comes_back_smaller_from_a_folder(kind, tmp_path):
    model, config, architecture = made(kind)
    heads, before = some_heads(model), answers(model)
    small = regard.prune(model, heads)
    found = answers(small)
    assert_close(found, gated(model, heads), rtol=1e-5, atol=1e-5)
    assert (found - before).abs().max() > 1e-2  # those heads did something
    assert torch.equal(answers(model), before)

    whole = save_model(model, tmp_path / "whole", config, architecture)
    saved = save_model(small, tmp_path / "small", config, architecture)
    again = load_model(saved)
    assert torch.equal(answers(again.model), found)
    assert pruned_heads(again.model.config) == json.loads((saved / "config.json").read_text())["pruned"] == heads
    assert "pruned" not in json.loads((whole / "config.json").read_text())
    assert (saved / "model.safetensors").stat().st_size < (whole / "model.safetensors").stat().st_size
    twice = save_model(again.model, tmp_path / "twice", again.config, again.architecture, spare=again.spare)
    assert torch.equal(answers(load_model(twice).model), found)


@pytest.mark.parametrize("score", SCORES)
def test_pruned_is_gated_for_every_score(score):
    model = alone(score=ScoreConfig(score))
    assert_close(answers(regard.prune(model, some_heads(model))), gated(model, some_heads(model)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("position", ["alibi", "buckets"])
@pytest.mark.parametrize("kv_heads", [4, 2, 1])
def test_heads_that_stay_keep_their_biases_and_their_groups(position, kv_heads):
    model = alone(PositionConfig(position, {"heads": 4}), kv_heads=kv_heads)
    assert_close(answers(regard.prune(model, some_heads(model))), gated(model, some_heads(model)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "marian", "t5", "xl"])
def test_the_engine_writes_what_the_pruned_model_writes(kind):
    model, _, _ = made(kind)
    small = regard.prune(model, some_heads(model))
    source = torch.randint(3, 40, (3, 6))
    manner = {"beam": 2, "max_new_tokens": 6, "prefix": source[:, :1]}
    reads = source if isinstance(small, Transformer) else None
    with torch.no_grad():
        written = [answer.best.ids for answer in decode(small, reads, **manner)]
        gone = some_heads(model)
        with regard.edit(model) as edit:
            for layer, numbers in gone.items():
                edit.head(layer, numbers).off()
            expected = [answer.best.ids for answer in decode(model, reads, **manner)]
    assert written == expected
    assert serve(small) is not None


def test_pruning_twice_is_pruning_at_once():
    model, _, _ = made("llama")
    once = regard.prune(model, {"decoder.0.self": [0, 3], "decoder.1.self": [1]})
    twice = regard.prune(regard.prune(model, {"decoder.0.self": [0]}), {"decoder.0.self": [3], "decoder.1.self": [1]})
    assert twice.config == once.config
    assert torch.equal(answers(twice), answers(once))


def test_a_pruned_model_learns_and_leaves_the_whole_one_alone():
    model, _, _ = made("gpt2")
    small = regard.prune(model, {"*.self": [1, 2]}).train()
    small(torch.arange(5)[None]).sum().backward()
    assert all(weight.grad is not None for weight in small.parameters())
    assert all(weight.grad is None for weight in model.parameters())
    assert small.output.weight is small.decoder.embedding.table.weight  # tied as before


def test_heads_are_cut_out_of_any_module_that_holds_such_layers():
    layer = nn.Sequential(MultiHead(16, 4))
    small = regard.prune(layer, {"0": [0, 2]})
    x = torch.randn(2, 5, 16)
    with regard.edit(layer) as edit:
        edit.head("0", [0, 2]).off()
        assert_close(small(x), layer(x), rtol=1e-5, atol=1e-5)
    assert small[0].split.remaining_heads == (1, 3)


@pytest.mark.parametrize(
    ("kind", "heads", "error", "message"),
    [
        ("gpt2", {"decoder.0.self": [4]}, UnknownName, r"decoder\.0\.self has no head 4: its heads are 0, 1, 2, 3"),
        ("gpt2", {"decoder.0.self": range(4)}, RegardError, "has 4 heads, all of which were to go: at least one stays"),
        ("gpt2", {"decoder.9.self": [0]}, UnknownName, r"no layer fits 'decoder\.9\.self': known: decoder\.0\.self"),
        ("albert", {"encoder.1.self": [0]}, RegardError, "are one layer: it loses the same heads in all"),
        ("albert", {"encoder.*.self": [0], "encoder.2.self": [1]}, RegardError, "are one layer"),
    ],
)
def test_what_cannot_be_pruned_is_refused_with_a_reason(kind, heads, error, message):
    with pytest.raises(error, match=message):
        regard.prune(made(kind)[0], heads)


def test_a_head_that_is_gone_cannot_go_again():
    model = regard.prune(made("gpt2")[0], {"decoder.0.self": [1]})
    with pytest.raises(UnknownName, match="has no head 1: its heads are 0, 2, 3"):
        regard.prune(model, {"decoder.0.self": [1]})


def test_layers_of_others_are_refused():
    with pytest.raises(
        RegardError, match="self is a MultiheadAttention: heads are taken out of layers of regard's own"
    ):
        regard.prune(nn.TransformerEncoderLayer(16, 4), {"self": [0]})


def test_a_masked_aligner_is_not_pruned():
    model = made("masked-aligner")[0]
    with pytest.raises(RegardError, match="that heads could be taken out of"):
        regard.prune(model, some_heads(model))
