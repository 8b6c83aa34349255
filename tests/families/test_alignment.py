"""A recurrent translator comes back from a folder of our own as it went in."""

import json
from dataclasses import asdict

import pytest
import torch
from models.test_alignment import MODELS, REAL, SOURCE, TARGET, model

from regard.checkpoints import CheckpointError, load_model, save_model

ENTRIES = {"model_type": "regard"}


@pytest.mark.parametrize("name", MODELS)
def test_a_folder_says_all_that_a_model_is(name, tmp_path):
    network = model(name).float()
    save_model(network, tmp_path / "model", ENTRIES, "Aligner")
    loaded = load_model(tmp_path / "model")
    assert loaded.model.config == network.config
    assert torch.equal(loaded.model(SOURCE, TARGET, attention_mask=REAL), network(SOURCE, TARGET, attention_mask=REAL))
    assert (loaded.model.output.weight is loaded.model.target_embedding.weight) == network.config.output.tied


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cell": "elman"}, "unknown cell 'elman'"),
        (
            {"reads": asdict(MODELS["bahdanau"].reads) | {"layers": 10**9}},
            "reads.layers: int from 1 to 1,024 expected, got 1000000000",
        ),
        ({"dropout": "often"}, "model.dropout: float from 0 to 1 expected, got 'often'"),
        ({"reads": None}, "model.reads: RecurrentConfig expected, got None"),
        ({"align": {"score": "additive", "glance": 3}}, "glance"),
        ({"writes": asdict(MODELS["bahdanau"].writes) | {"width": 10}}, "has the shape"),
        ({"hops": 3}, "model: unknown hops; a AlignerConfig has reads"),
    ],
)
def test_what_is_wrong_with_a_config_is_one_line(change, message, tmp_path):
    folder = save_model(model("bahdanau").float(), tmp_path / "model", ENTRIES, "Aligner")
    (folder / "manifest.json").unlink()
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model": config["model"] | change}))
    with pytest.raises(CheckpointError, match=message) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)


def test_another_key_or_architecture_is_one_line(tmp_path):
    folder = save_model(model("bahdanau").float(), tmp_path / "model", ENTRIES, "Aligner")
    (folder / "manifest.json").unlink()
    config = json.loads((folder / "config.json").read_text())
    for change, message in (
        ({"hops": 3}, "options that are not supported: hops"),
        ({"architectures": ["Seq2Seq"]}, "architecture 'Seq2Seq' is not supported, only .*Aligner"),
    ):
        (folder / "config.json").write_text(json.dumps(config | change))
        with pytest.raises(CheckpointError, match=message):
            load_model(folder)


def test_a_layout_of_before_is_written_as_the_one_of_today(tmp_path):
    folder = save_model(model("bahdanau").float(), tmp_path / "model", {"model_type": "regard-alignment"}, "Aligner")
    config = json.loads((folder / "config.json").read_text())
    assert (config["model_type"], config["kind"]) == ("regard", "alignment")
