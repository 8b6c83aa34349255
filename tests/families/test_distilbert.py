import pytest
from parity import encoder_parity, positions, refused, transformers

KINDS = ["Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"]


def config(**changes):
    small = {
        "vocab_size": 61, "dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40, "max_position_embeddings": 32,
    }  # fmt: skip
    return transformers.DistilBertConfig(**(small | changes))


def told(tokens, attention_mask):
    return {"position_ids": positions(attention_mask)}, {}


@pytest.mark.parametrize("kind", KINDS)
def test_distilbert_equals_the_reference(kind, tmp_path):
    encoder_parity(getattr(transformers, f"DistilBert{kind}")(config(num_labels=4)), tmp_path, told=told)


@pytest.mark.parametrize("changes", [{"n_layers": 1, "activation": "relu"}, {"tie_word_embeddings": False}])
def test_odd_configs_equal_the_reference(changes, tmp_path):
    encoder_parity(transformers.DistilBertForMaskedLM(config(**changes)), tmp_path, told=told)


def test_what_does_not_fit_is_named(tmp_path):
    model = transformers.DistilBertForSequenceClassification(config())
    refused(model, tmp_path, {"sinusoidal_pos_embds": True}, "pre_classifier.bias")
