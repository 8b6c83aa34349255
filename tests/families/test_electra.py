import pytest
import torch
from parity import FEW, comes_back, encoder_parity, padded, positions, reference, refused, same, transformers

from regard.checkpoints import load_model


def config(**changes):
    small = {
        "vocab_size": 61, "embedding_size": 16, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 32, "num_labels": 4,
    }  # fmt: skip
    return transformers.ElectraConfig(**(small | changes))


def told(tokens, attention_mask):
    segments = tokens % 2
    return {"position_ids": positions(attention_mask), "token_type_ids": segments}, {"segments": segments}


@pytest.mark.parametrize("kind", ["Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"])
def test_electra_equals_the_reference(kind, tmp_path):
    model = getattr(transformers, f"Electra{kind}")(config())
    encoder_parity(model, tmp_path, FEW, logits="last_hidden_state" if kind == "Model" else "logits", told=told)


def test_words_as_wide_as_the_model_and_a_table_of_their_own_for_the_scores_equal_the_reference(tmp_path):
    model = transformers.ElectraForMaskedLM(config(embedding_size=24, tie_word_embeddings=False))
    encoder_parity(model, tmp_path, FEW, told=told)


def test_finding_replaced_words_equals_the_reference(tmp_path):
    model = reference(transformers.ElectraForPreTraining(config()), tmp_path)
    loaded = load_model(tmp_path)
    tokens, attention_mask = padded(3, "right", 61)
    with torch.no_grad():
        expected = model(tokens, attention_mask=attention_mask.long()).logits
        same(loaded.model(tokens, attention_mask=attention_mask).squeeze(-1), expected, attention_mask, 1e-5)
    comes_back(loaded, model, tmp_path / "again")


def test_whatever_is_not_known_is_refused(tmp_path):
    refused(
        transformers.ElectraForMaskedLM(config()),
        tmp_path,
        {"position_embedding_type": "relative_key"},
        "electra.embeddings_project.weight",
    )
