import pytest
import torch
from parity import encoder_parity, padded, positions, reference, refused, transformers

from regard.checkpoints import load_model

KINDS = ["Model", "ForMaskedLM", "ForSequenceClassification", "ForTokenClassification"]


def config(prefix="Roberta", **changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 32, "type_vocab_size": 2,
    }  # fmt: skip
    return getattr(transformers, f"{prefix}Config")(**(small | changes))


def told(offset):
    def tell(tokens, attention_mask):
        segments = tokens % 2
        return {"position_ids": positions(attention_mask) + offset, "token_type_ids": segments}, {"segments": segments}

    return tell


@pytest.mark.parametrize("kind", KINDS)
def test_roberta_equals_the_reference(kind, tmp_path):
    encoder_parity(getattr(transformers, f"Roberta{kind}")(config()), tmp_path, told=told(2))


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 1, "type_vocab_size": 1},
        {"hidden_act": "gelu_new", "tie_word_embeddings": False},
        {"pad_token_id": 3},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    def tell(tokens, attention_mask):
        if changes.get("type_vocab_size") == 1:
            return {"position_ids": positions(attention_mask) + 2}, {}
        return told(changes.get("pad_token_id", 1) + 1)(tokens, attention_mask)

    encoder_parity(transformers.RobertaForMaskedLM(config(**changes)), tmp_path, told=tell)


@pytest.mark.parametrize("prefix", ["XLMRoberta", "Camembert"])
def test_roberta_in_other_languages_equals_the_reference(prefix, tmp_path):
    model = getattr(transformers, f"{prefix}ForSequenceClassification")(config(prefix, num_labels=3))
    encoder_parity(model, tmp_path, told=told(2))


@pytest.mark.parametrize("side", ["left", "right"])
def test_positions_follow_the_padding_as_the_reference_counts_them(side, tmp_path):
    model = reference(transformers.RobertaModel(config()), tmp_path)
    tokens, attention_mask = padded(3, side, 61)
    tokens = tokens.where(attention_mask, 1)
    with torch.no_grad():
        expected = model(tokens, attention_mask=attention_mask.long()).last_hidden_state
        found = load_model(tmp_path).model(tokens, attention_mask=attention_mask)
    torch.testing.assert_close(found[attention_mask], expected[attention_mask], rtol=0, atol=1e-5)


def test_what_does_not_fit_is_named(tmp_path):
    refused(transformers.RobertaForMaskedLM(config()), tmp_path, {"is_decoder": True}, "lm_head.dense.weight")
