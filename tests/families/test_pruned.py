"""Folders of pruned models: what their configs say, and what is wrong with one."""

import json

import pytest
from looking.families import answers, made
from looking.test_prune import gated, some_heads
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

import regard
from regard.checkpoints import CheckpointError, load_model, save_model


@pytest.mark.parametrize("kind", ["bert", "distilbert", "gpt2"])
def test_models_that_transformers_4_pruned_are_read(kind, tmp_path):
    # It cut the same rows and columns out, and called them pruned_heads, by layer.
    model, config, architecture = made(kind)
    heads = some_heads(model)
    folder = save_model(regard.prune(model, heads), tmp_path / "new", config, architecture)
    told = json.loads((folder / "config.json").read_text())
    told["pruned_heads"] = {layer.split(".")[1]: numbers for layer, numbers in told.pop("pruned").items()}
    (folder / "config.json").write_text(json.dumps(told))
    (folder / "manifest.json").unlink()
    assert_close(answers(load_model(folder).model), gated(model, heads), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pruned": {"decoder.0.self": [7]}}, "heads from 0 to 3, not all of them, can be taken out, got"),
        ({"pruned": {"decoder.7.self": [0]}}, r"has no layer 'decoder\.7\.self'"),
        ({"pruned": {"decoder.0.cross": [0]}}, r"has no layer 'decoder\.0\.cross'"),
        ({"pruned": [3]}, r"pruned = \[3\]: an object expected"),
        ({"pruned": {"decoder.0.self": "1"}}, "a list of heads for each layer expected"),
        ({"pruned": {}}, r"h\.0\.attn.* has the shape"),
    ],
)
def test_a_config_that_prunes_wrongly_is_one_line(change, message, tmp_path):
    model, config, architecture = made("gpt2")
    folder = save_model(regard.prune(model, {"decoder.0.self": [1]}), tmp_path / "model", config, architecture)
    told = json.loads((folder / "config.json").read_text()) | change
    (folder / "config.json").write_text(json.dumps(told))
    (folder / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match=message) as caught:
        load_model(folder)
    assert "\n" not in str(caught.value)


def test_weights_of_the_whole_model_do_not_fit_a_pruned_config(tmp_path):
    model, config, architecture = made("llama")
    whole = save_model(model, tmp_path / "whole", config, architecture)
    small = save_model(regard.prune(model, {"decoder.0.self": [0, 1]}), tmp_path / "small", config, architecture)
    save_file(load_file(whole / "model.safetensors"), small / "model.safetensors")
    (small / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match=r"self_attn\.q_proj.* has the shape"):
        load_model(small)
