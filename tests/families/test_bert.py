"""BERT beside transformers' own. Also tests: models/encoder.py."""

import pytest
import torch
from parity import encoder_parity, padded, positions, reference, refused, transformers
from safetensors.torch import load_file, save_file

from regard.checkpoints import CheckpointError, load_model

KINDS = ["Model", "ForMaskedLM", "ForPreTraining", "ForSequenceClassification", "ForTokenClassification"]


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 32, "type_vocab_size": 3,
    }  # fmt: skip
    return transformers.BertConfig(**(small | changes))


def told(tokens, attention_mask):
    segments = (tokens % 3).long()
    return {"position_ids": positions(attention_mask), "token_type_ids": segments}, {"segments": segments}


@pytest.mark.parametrize("kind", KINDS)
def test_bert_equals_the_reference(kind, tmp_path):
    model = getattr(transformers, f"Bert{kind}")(config())
    encoder_parity(model, tmp_path, logits="prediction_logits" if kind == "ForPreTraining" else "logits", told=told)


@pytest.mark.parametrize("changes", [{"num_hidden_layers": 1}, {"hidden_act": "relu"}, {"tie_word_embeddings": False}])
def test_odd_configs_equal_the_reference(changes, tmp_path):
    encoder_parity(transformers.BertForMaskedLM(config(**changes)), tmp_path, told=told)


def test_older_names_of_norms_and_heads_of_pretraining_are_known(tmp_path):
    model = reference(transformers.BertForPreTraining(config()), tmp_path)
    told = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(told.replace("BertForPreTraining", "BertForMaskedLM"))
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    tensors = load_file(tmp_path / "model.safetensors")
    for newer, older in old.items():
        tensors = {name.replace(newer, older): tensor for name, tensor in tensors.items()}
    save_file(tensors, tmp_path / "model.safetensors")
    tokens, attention_mask = padded(2, "right", 61)
    with torch.no_grad():
        expected = model(tokens, attention_mask=attention_mask.long()).prediction_logits
        found = load_model(tmp_path).model(tokens, attention_mask=attention_mask)
    torch.testing.assert_close(found[attention_mask], expected[attention_mask], rtol=0, atol=1e-5)


def test_what_does_not_fit_is_named(tmp_path):
    refused(
        transformers.BertModel(config()), tmp_path, {"position_embedding_type": "relative_key"}, "pooler.dense.bias"
    )


def test_a_tensor_under_an_old_and_a_new_name_is_refused(tmp_path):
    reference(transformers.BertModel(config()), tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["embeddings.LayerNorm.gamma"] = tensors["embeddings.LayerNorm.weight"].clone()
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(CheckpointError, match=r"under a newer name, too: embeddings.LayerNorm.gamma$"):
        load_model(tmp_path)
