import pytest
from parity import encoder_parity, places, transformers

KINDS = ["Model", "ForMaskedLM", "ForPreTraining", "ForSequenceClassification", "ForTokenClassification"]


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 32, "type_vocab_size": 3,
    }  # fmt: skip
    return transformers.BertConfig(**(small | changes))


def told(tokens, real):
    segments = (tokens % 3).long()
    return {"position_ids": places(real), "token_type_ids": segments}, {"segments": segments}


@pytest.mark.parametrize("kind", KINDS)
def test_bert_equals_the_reference(kind, tmp_path):
    model = getattr(transformers, f"Bert{kind}")(config())
    encoder_parity(model, tmp_path, logits="prediction_logits" if kind == "ForPreTraining" else "logits", told=told)


@pytest.mark.parametrize("changes", [{"num_hidden_layers": 1}, {"hidden_act": "relu"}, {"tie_word_embeddings": False}])
def test_odd_configs_equal_the_reference(changes, tmp_path):
    encoder_parity(transformers.BertForMaskedLM(config(**changes)), tmp_path, told=told)
