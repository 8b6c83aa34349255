"""Also tests: attention/scores/disentangled.py, layers/distances.py."""

import json

import pytest
import torch
from parity import FEW, encoder_parity, reference, transformers
from safetensors.torch import load_file, save_file

from regard.checkpoints import CheckpointError, load_model

pytestmark = pytest.mark.filterwarnings("ignore:.*jit.script.*:DeprecationWarning")  # of the reference, when imported


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
        "max_position_embeddings": 32, "num_labels": 4, "relative_attention": True, "position_biased_input": False,
        "share_att_key": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 4, "max_relative_positions": 6,
        "norm_rel_ebd": "layer_norm",
    }  # fmt: skip
    return transformers.DebertaV2Config(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"])
def test_deberta_v2_equals_the_reference(kind, tmp_path):
    model = getattr(transformers, f"DebertaV2{kind}")(config())
    encoder_parity(model, tmp_path, FEW, logits="last_hidden_state" if kind == "Model" else "logits")


@pytest.mark.parametrize(
    "changes",
    [
        {"norm_rel_ebd": "none", "type_vocab_size": 2, "position_buckets": 6, "max_relative_positions": -1},
        {"position_buckets": 16, "hidden_act": "relu", "tie_word_embeddings": False, "max_relative_positions": 12},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    encoder_parity(transformers.DebertaV2ForMaskedLM(config(**changes)), tmp_path, FEW)


@pytest.mark.parametrize(
    "change",
    [
        {"share_att_key": False},
        {"pos_att_type": ["c2p"]},
        {"conv_kernel_size": 3},
        {"position_biased_input": True},
        {"x": 1},
    ],
)
def test_an_unsupported_option_is_named(change, tmp_path):
    transformers.DebertaV2ForMaskedLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=next(iter(change))):
        load_model(tmp_path)


def test_the_published_ones_are_read_whose_config_names_no_architecture(tmp_path):
    """Their tensors have the names of a model with heads, and the heads are there."""
    model = reference(transformers.DebertaV2Model(config()), tmp_path)
    tensors = {f"deberta.{name}": tensor for name, tensor in load_file(tmp_path / "model.safetensors").items()}
    heads = {"lm_predictions.lm_head.bias": torch.zeros(61), "mask_predictions.classifier.weight": torch.zeros(1, 24)}
    save_file(tensors | heads, tmp_path / "model.safetensors", metadata={"format": "pt"})
    written = json.loads((tmp_path / "config.json").read_text())
    del written["architectures"]
    (tmp_path / "config.json").write_text(json.dumps(written | {"pos_att_type": "p2c|c2p"}))
    loaded, tokens = load_model(tmp_path), torch.randint(3, 61, (2, 9))
    torch.testing.assert_close(loaded.model(tokens), model(tokens).last_hidden_state, rtol=0, atol=1e-5)
    assert loaded.spare.keys() == heads.keys()
