"""A translator that nobody here trained: Arabic names in Latin letters, from the tests of CTranslate2."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from shared import shared
from torch.testing import assert_close

import regard
from regard.models import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
    Transformer,
    TransformerConfig,
)

LAYERS, WIDTH = 6, 32
START, END = 1, 2


def folder() -> Path:
    """Where the model is; without it the test is skipped."""
    return shared("ctranslate2-aren-transliteration")


def names():
    """Our name of every tensor in the file."""
    table = {"decoder.projection.weight": "output.weight", "decoder.projection.bias": "output.bias"}
    for side in ("encoder", "decoder"):
        table[f"{side}.embeddings.weight"] = f"{side}.embedding.table.weight"
        table |= norm(f"{side}.layer_norm", f"{side}.stack.norm")
        for layer in range(LAYERS):
            there, here = f"{side}.layer_{layer}", f"{side}.stack.blocks.{layer}"
            table |= norm(f"{there}.self_attention.layer_norm", f"{here}.self_norm")
            table |= norm(f"{there}.ffn.layer_norm", f"{here}.feed_forward_norm")
            linear = {"self_attention.linear_0": "self.qkv", "self_attention.linear_1": "self.output"}
            linear |= {"ffn.linear_0": "feed_forward.widen", "ffn.linear_1": "feed_forward.narrow"}
            if side == "decoder":
                table |= norm(f"{there}.attention.layer_norm", f"{here}.cross_norm")
                parts = ("query", "kv", "output")
                linear |= {f"attention.linear_{number}": f"cross.{part}" for number, part in enumerate(parts)}
            for theirs, ours in linear.items():
                table |= {f"{there}.{theirs}.{kind}": f"{here}.{ours}.{kind}" for kind in ("weight", "bias")}
    return table


def norm(theirs, ours):
    return {f"{theirs}.gamma": f"{ours}.weight", f"{theirs}.beta": f"{ours}.bias"}


@pytest.fixture(scope="module")
def model():
    tensors = load_file(folder() / "model.safetensors")
    stack = StackConfig(LAYERS, WIDTH, AttentionConfig(8), FeedForwardConfig(128))
    position = PositionConfig("sinusoidal", {"width": WIDTH, "layout": "halves", "steps": 15, "start": 1})

    def side(name):
        vocabulary = len(tensors[f"{name}.embeddings.weight"])
        return EmbeddedStackConfig(EmbeddingConfig(vocabulary, scale=WIDTH**0.5), stack, position)

    config = TransformerConfig(side("encoder"), side("decoder"), OutputConfig(tied=False, bias=True), shared=False)
    model = Transformer(config).eval()
    table = names()
    model.load_state_dict({table[name]: tensor for name, tensor in tensors.items()})
    return model


def items():
    """Names, what the reference made of them, and how it came to that."""
    return json.loads((folder() / "reference.json").read_text(encoding="utf-8"))["items"]


def numbered(symbols, side):
    known = (folder() / f"{side}_vocabulary.txt").read_text(encoding="utf-8").split("\n")
    return [known.index(symbol) for symbol in symbols]


@torch.no_grad()
def test_log_probabilities_and_cross_attention_equal_the_reference(model):
    for item in items():
        written = numbered(item["greedy"], "target")
        source = torch.tensor([numbered(item["source"], "source")])
        with regard.watch(model, "decoder.5.cross") as seen:
            found = model(source, torch.tensor([[START, *written]])).log_softmax(-1)[0]
        told = found[range(len(written) + 1), [*written, END]]
        assert_close(told, torch.tensor(item["greedy_token_logprobs"]), rtol=0, atol=1e-5)
        looked = torch.tensor(item["last_layer_head0_cross_attention"])
        assert_close(seen["decoder.5.cross"][0, 0, : len(looked)], looked, rtol=0, atol=1e-5)
        assert found.argmax(-1).tolist() == [*written, END]


@torch.no_grad()
def test_a_padded_batch_steps_to_the_same_words(model):
    chosen = items()
    longest = max(len(item["source"]) for item in chosen)
    sources = [numbered(item["source"], "source") for item in chosen]
    source = torch.tensor([[0] * (longest - len(row)) + row for row in sources])
    tokens, state = torch.full((len(chosen), 1), START), model.start(source, source > 0)
    words = [tokens]
    for _ in range(max(len(item["greedy"]) for item in chosen) + 1):
        logits, state = model.step(state, tokens)
        tokens = logits.argmax(-1)
        words.append(tokens)
    for item, row in zip(chosen, torch.cat(words, 1).tolist(), strict=True):
        assert row[1 : row.index(END)] == numbered(item["greedy"], "target")
