import json

import pytest
from parity import FEW, encoder_parity, positions, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 40,
        "local_attention": 4, "num_labels": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "cls_token_id": 1, "sep_token_id": 2, "layer_types": ["full_attention", "sliding_attention", "full_attention"],
    }  # fmt: skip
    return transformers.ModernBertConfig(**(small | changes))


def told(tokens, attention_mask):
    return {"position_ids": positions(attention_mask)}, {}


@pytest.mark.parametrize("kind", ["Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"])
def test_modernbert_equals_the_reference(kind, tmp_path):
    model = getattr(transformers, f"ModernBert{kind}")(config())
    encoder_parity(model, tmp_path, FEW, logits="last_hidden_state" if kind == "Model" else "logits", told=told)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("ForMaskedLM", {"norm_bias": True, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": False}),
        ("ForMaskedLM", {"decoder_bias": False, "classifier_bias": True, "local_attention": 128}),
        ("ForSequenceClassification", {"classifier_pooling": "mean", "layer_types": None}),
    ],
)
def test_odd_configs_equal_the_reference(kind, changes, tmp_path):
    encoder_parity(getattr(transformers, f"ModernBert{kind}")(config(**changes)), tmp_path, FEW, told=told)


def test_configs_from_before_transformers_5_are_read(tmp_path):
    transformers.ModernBertForMaskedLM(config(layer_types=None)).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    expected, written = load_model(tmp_path).model.config, json.loads(path.read_text())
    del written["rope_parameters"], written["layer_types"]
    before = {"global_rope_theta": 160000.0, "local_rope_theta": 10000.0, "global_attn_every_n_layers": 3}
    path.write_text(json.dumps(written | before))
    assert load_model(tmp_path).model.config == expected


@pytest.mark.parametrize("change", [{"classifier_pooling": "max"}, {"layer_types": ["full_attention"]}, {"news": 1}])
def test_an_unsupported_option_is_named(change, tmp_path):
    transformers.ModernBertForMaskedLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=next(iter(change))):
        load_model(tmp_path)
