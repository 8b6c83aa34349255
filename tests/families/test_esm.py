import pytest
from parity import encoder_parity, positions, refused, transformers

KINDS = ["Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"]


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
        "position_embedding_type": "rotary", "token_dropout": False, "pad_token_id": 1, "mask_token_id": 2,
    }  # fmt: skip
    return transformers.EsmConfig(**(small | changes))


def told(tokens, attention_mask):
    return {"position_ids": positions(attention_mask)}, {}


@pytest.mark.parametrize("kind", KINDS)
def test_esm_equals_the_reference(kind, tmp_path):
    encoder_parity(getattr(transformers, f"Esm{kind}")(config(num_labels=4)), tmp_path, told=told)


@pytest.mark.parametrize(
    "changes", [{"emb_layer_norm_before": True}, {"tie_word_embeddings": False}, {"rope_theta": 500.0}]
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    encoder_parity(transformers.EsmForMaskedLM(config(**changes)), tmp_path, told=told)


def test_what_does_not_fit_is_named(tmp_path):
    refused(transformers.EsmForMaskedLM(config()), tmp_path, {"token_dropout": True}, "lm_head.dense.bias")
