"""A recurrent translator comes back from a folder of our own as it went in."""

import json
from dataclasses import asdict

import pytest
import torch
from models.test_alignment import MODELS, REAL, SOURCE, TARGET, model

from regard.checkpoints import CheckpointError, load_model, save_model

TOLD = {"model_type": "regard-alignment"}


@pytest.mark.parametrize("name", MODELS)
def test_a_folder_says_all_that_a_model_is(name, tmp_path):
    network = model(name).float()
    save_model(network, tmp_path / "model", TOLD, "Aligner")
    loaded = load_model(tmp_path / "model")
    assert loaded.model.config == network.config
    assert torch.equal(loaded.model(SOURCE, TARGET, attention_mask=REAL), network(SOURCE, TARGET, attention_mask=REAL))
    assert (loaded.model.output.weight is loaded.model.target_embedding.weight) == network.config.output.tied


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cell": "elman"}, "unknown cell 'elman'"),
        ({"reads": asdict(MODELS["bahdanau"].reads) | {"layers": 10**9}}, "1000000000 layers, from 1 to 1024 expected"),
        ({"dropout": "often"}, "no model can be made of it|float expected for the dropout"),
        ({"reads": None}, "no model can be made of it"),
        ({"align": {"score": "additive", "glance": 3}}, "glance"),
        ({"writes": asdict(MODELS["bahdanau"].writes) | {"width": 10}}, "has the shape"),
        ({"hops": 3}, "options that are not supported: hops"),
        ({"architectures": ["Seq2Seq"]}, "architecture 'Seq2Seq' is not supported, only Aligner"),
    ],
)
def test_what_is_wrong_with_a_config_is_one_line(change, message, tmp_path):
    folder = save_model(model("bahdanau").float(), tmp_path / "model", TOLD, "Aligner")
    (folder / "manifest.json").unlink()
    told = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(told | change))
    with pytest.raises(CheckpointError, match=message) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)
