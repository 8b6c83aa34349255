"""recipes/ship.py: a run becomes a model that comes with the install.

Also tests: card.py.
"""

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest
import torch
from checkpoints.export.small import TEXTS, learned
from huggingface_hub import ModelCard
from safetensors.torch import load_file

import regard
from regard.card import read_card
from regard.checkpoints import load_model
from regard.checkpoints.files import check_manifest
from regard.errors import RegardError, UnknownName
from regard.tasks.evaluation import evaluate
from regard.text import pairs

HOME = Path(__file__).parents[2] / "recipes"
_spec = importlib.util.spec_from_file_location("ship", HOME / "ship.py")
ship = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(ship)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return learned(tmp_path_factory.mktemp("run") / "made", "train.steps=3").parent


@pytest.fixture(scope="module")
def shipped(run, tmp_path_factory):
    scores = evaluate(regard.load(run / "model"), pairs([run.parent / "valid.tsv"]), beam=2).plain()
    return ship.ship(run, "en-de", tmp_path_factory.mktemp("builtin"), scores), scores


def test_the_weights_are_those_of_the_run_in_half(run, shipped):
    folder, _ = shipped
    check_manifest(folder)
    trained, found = load_model(run / "model").model, load_model(folder).model
    for mine, theirs in zip(trained.parameters(), found.parameters(), strict=True):
        assert torch.equal(mine.half().float(), theirs)
    assert {tensor.dtype for tensor in load_file(folder / "model.safetensors").values()} == {torch.float16}
    assert regard.load(folder)(TEXTS[0], max_new_tokens=4).text


def test_the_card_has_the_scores_the_attribution_and_no_path_of_this_machine(run, shipped):
    folder, scores = shipped
    text = (folder / "README.md").read_text(encoding="utf-8")
    card = ModelCard(text)
    assert card.data.license == "cc-by-2.0"
    assert {result.metric_name: result.metric_value for result in card.data.eval_results} == read_card(folder).scores
    assert read_card(folder).scores["BLEU"] == pytest.approx(scores["scores"]["bleu"], abs=1e-3)
    assert scores["details"]["bleu"]["signature"] in text
    assert re.search(r"^Attribution: .*www\.manythings\.org/anki and tatoeba\.org", text, re.MULTILINE)
    assert str(run.parent) not in text
    assert 'train = ["train.tsv"]' in text


def test_a_model_is_replaced_and_one_that_is_too_large_or_unknown_is_not_written(run, tmp_path, monkeypatch):
    (tmp_path / "shakespeare").mkdir()
    folder = ship.ship(run, "shakespeare", tmp_path)
    told = json.loads((folder / "generation_config.json").read_text())
    assert told["do_sample"] is True
    assert told["eos_token_id"] == 1  # what the run said is still there
    with pytest.raises(UnknownName, match=r"unknown built-in model in cards\.toml 'de-fr'.*known: de-en, en-de"):
        ship.ship(run, "de-fr", tmp_path)
    monkeypatch.setattr(ship, "LARGEST", 1000)
    with pytest.raises(RegardError, match="more than 1,000: too large"):
        ship.ship(run, "en-de", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["shakespeare"]


def test_every_card_names_data_that_is_described_and_noticed():
    known = tomllib.loads((HOME / "cards.toml").read_text(encoding="utf-8"))
    notice = " ".join((HOME.parent / "NOTICE").read_text(encoding="utf-8").split())
    for name, told in known["models"].items():
        assert name in notice
        data = known["data"][told["data"]]
        assert not data["licence"].startswith("cc-by") or data["attribution"] in notice
