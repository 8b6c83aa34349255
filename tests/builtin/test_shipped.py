"""What comes with the install is small, whole, and says where it is from."""

import json
import re
from pathlib import Path

import pytest
import torch
from builtin.shipped import folder, loaded
from safetensors import safe_open

from regard.card import read_card
from regard.checkpoints.files import check_manifest
from regard.tasks.find import BUILTIN, builtin

ROOT = Path(__file__).parents[2]
LARGEST, ALL = 17_000_000, 60_000_000
PLANNED = ("en-de", "de-en", "shakespeare")
NAMES = sorted({*PLANNED, *builtin()})


def test_files_are_small():
    sizes = {path: path.stat().st_size for path in BUILTIN.rglob("*") if path.is_file()}
    assert max(sizes.values(), default=0) <= LARGEST
    assert sum(sizes.values()) <= ALL


@pytest.mark.parametrize("name", NAMES)
def test_weights_are_stored_in_half_and_loaded_whole(name):
    where = folder(name)
    check_manifest(where)
    with safe_open(where / "model.safetensors", framework="pt") as file:
        kinds = {file.get_tensor(key).dtype for key in file.keys()}  # noqa: SIM118 - not a mapping
    assert kinds == {torch.float16}
    assert {weight.dtype for weight in loaded(name).model.parameters()} == {torch.float32}


@pytest.mark.parametrize("name", NAMES)
def test_a_card_tells_data_licence_scores_limits_and_recipe(name):
    where = folder(name)
    text = (where / "README.md").read_text(encoding="utf-8")
    for part in ("## Data and licence", "## Scores", "## Limits", "## How it was trained"):
        assert part in text
    trained = text.partition("## How it was trained")[2]
    assert ("[data]" in trained and "[train]" in trained) or "python recipes/" in trained
    card = read_card(where)
    assert card.licence
    assert card.scores
    attribution = re.search(r"^Attribution: (.+)$", text, re.MULTILINE).group(1)
    notice = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    assert re.search(rf"\b{name}\b", notice)
    if card.licence.startswith("cc-by"):
        assert attribution in notice
        assert re.search(r"CC BY(-SA)? [23]\.0", text)
    assert not re.findall(r'"(?:/|[A-Z]:\\)[^"]*"', text), "a path of the machine that it was trained on"


@pytest.mark.parametrize("name", ["en-de", "de-en"])
def test_a_translators_card_has_its_bleu_with_the_signature(name):
    where = folder(name)
    assert re.search(r"BLEU: `nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp\|", (where / "README.md").read_text())
    assert read_card(where).scores["BLEU"] >= 39


@pytest.mark.parametrize("name", ["en-de", "de-en"])
def test_a_translator_has_marians_shape_and_no_unknown_characters(name):
    where = folder(name)
    told = json.loads((where / "config.json").read_text())
    assert told["architectures"] == ["MarianMTModel"]
    assert told["decoder_layers"] >= 2
    assert min(told["encoder_attention_heads"], told["decoder_attention_heads"]) >= 4
    tokenizer = loaded(name).tokenizer
    strange = "Þæt wæs gōd cyning! 東京 🐙 \u2003 \u0000 ﬁ"
    assert tokenizer.decode(tokenizer.encode(strange).ids) == strange
