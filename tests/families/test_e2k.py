"""Recurrent weights that nobody here made: English words spelled in Japanese, against e2k's own numpy code."""

import importlib.util
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from checkpoints.test_real import installed
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

import regard
from regard.checkpoints import CheckpointError, load_model, save_model
from regard.decoding import Constraints, decode

__all__ = ["installed"]  # a fixture
ROOT = Path(__file__).parents[2]
SOS, EOS, LONGEST = 1, 2, 16


@pytest.fixture(scope="module")
def package(installed):
    return installed("e2k==0.8.1", "e2k")


@pytest.fixture(scope="module")
def reference(package):
    """Its inference code, which needs numpy alone."""
    spec = importlib.util.spec_from_file_location("e2k_inference", package / "inference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def folder_of(package, name, into):
    """One of its files as a folder that can be loaded."""
    into.mkdir(exist_ok=True)
    shutil.copyfile(package / "models" / f"{name}.safetensors", into / "model.safetensors")
    (into / "config.json").write_text(json.dumps({"model_type": "e2k"}))
    return into


def opened(reference, package, name):
    return reference.S2S(
        *reference.load_safetensors((package / "models" / f"{name}.safetensors").read_bytes()), LONGEST
    )


def spelled(model, word):
    """The reference's tokens, the scores of each step, and the weights of its four heads."""
    scores, weights = [], []
    forward = model.attn.forward

    def looking(query, memory):
        heads = np.matmul(model.attn.split_heads(model.attn.q_proj.forward(query)), memory[0]) / model.attn.scale
        heads = np.exp(heads - heads.max(-1, keepdims=True))
        weights.append(heads / heads.sum(-1, keepdims=True))
        return forward(query, memory)

    def choose(step):
        scores.append(step)
        return int(np.argmax(step))

    model.attn.forward = looking
    ids = model.forward(np.array(word), choose)
    model.attn.forward = forward
    return ids, np.stack(scores), np.concatenate(weights, 1)


def padded(rows):
    tokens = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = torch.tensor(row)
    return tokens, tokens > 0


@torch.no_grad()
def check(model, theirs, words):
    """Tokens, scores and weights of all words, written together, equal those of the reference, one by one."""
    source, attention_mask = padded(words)
    start = torch.full((len(words), 1), SOS)
    found = decode(
        model,
        source,
        attention_mask=attention_mask,
        prefix=start,
        max_new_tokens=LONGEST,
        constraints=Constraints(ends=(EOS,)),
    )
    answers = [spelled(theirs, word) for word in words]
    for one, (ids, _, _) in zip(found, answers, strict=True):
        assert list(one.best.ids) == [number for number in ids[1:] if number != EOS]
    target, target_attention_mask = padded([ids[:-1] for ids, _, _ in answers])
    with regard.watch(model) as seen:
        logits = model(source, target, attention_mask=attention_mask, target_attention_mask=target_attention_mask)
    weights = seen["align"].weights()
    for row, (word, (_, scores, looks)) in enumerate(zip(words, answers, strict=True)):
        steps = len(scores)
        assert_close(logits[row, :steps], torch.from_numpy(scores), rtol=0, atol=1e-3)
        assert_close(weights[row, :, :steps, : len(word)], torch.from_numpy(looks), rtol=0, atol=1e-4)


def test_a_thousand_words_are_spelled_as_the_reference_spells_them(package, reference, tmp_path):
    theirs = opened(reference, package, "model-c2k")
    numbers = {letter: number for number, letter in enumerate(theirs.in_table)}
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted(ROOT.glob("docs/*.md")))
    words = list(dict.fromkeys(re.findall(r"[a-z]{2,15}", text.lower())))[:1000]
    assert len(words) == 1000
    model = load_model(folder_of(package, "model-c2k", tmp_path)).model
    check(model, theirs, [[SOS, *(numbers[letter] for letter in word), EOS] for word in words])


@pytest.mark.parametrize("name", ["model-c2k-turbo", "model-p2k", "model-p2k-turbo"])
def test_its_other_models_do_as_the_reference_too(name, package, reference, tmp_path):
    theirs = opened(reference, package, name)
    draw = np.random.default_rng(5)
    count = len(theirs.in_table)
    words = [[SOS, *draw.integers(3, count, draw.integers(1, 12)).tolist(), EOS] for _ in range(40)]
    check(load_model(folder_of(package, name, tmp_path)).model, theirs, words)


def test_it_is_saved_as_it_came(package, tmp_path):
    folder = folder_of(package, "model-c2k-turbo", tmp_path / "came")
    found = load_model(folder)
    saved = save_model(found.model, tmp_path / "saved", found.config, found.architecture)
    came, again = load_file(folder / "model.safetensors"), load_file(saved / "model.safetensors")
    assert came.keys() == again.keys()
    assert all(torch.equal(again[name], tensor.float()) for name, tensor in came.items())


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("attn.in_proj_weight", lambda tensor: torch.cat([tensor, tensor[:1]]), "queries, keys and values of 128"),
        ("attn.in_proj_bias", lambda tensor: tensor[:-1], "queries, keys and values of 128"),
        ("encoder_fc.0.weight", lambda tensor: tensor[0], "the shape|expected|dimensions"),
        ("post_decoder.weight_hh_l0", lambda tensor: tensor[:, :-1], r"post_decoder\.weight_hh_l0 has the shape"),
        ("fc.weight", None, r"missing fc\.weight"),
        ("e_emb.weight", None, r"e_emb\.weight of .* is missing"),
    ],
)
def test_a_tensor_that_does_not_fit_is_named(name, change, message, package, tmp_path):
    folder = folder_of(package, "model-c2k-turbo", tmp_path)
    tensors = load_file(folder / "model.safetensors")
    old = tensors.pop(name)
    if change is not None:
        tensors[name] = change(old).contiguous()
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(CheckpointError, match=message):
        load_model(folder)
