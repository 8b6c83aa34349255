import json

import pytest
from parity import FEW, decoder_parity, same_text, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
        "max_position_embeddings": 64, "num_labels": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "num_key_value_heads": 2,
    }  # fmt: skip
    return transformers.Phi3Config(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "ForCausalLM", "ForSequenceClassification"])
def test_phi3_equals_the_reference(kind, tmp_path):
    decoder_parity(getattr(transformers, f"Phi3{kind}")(config()), tmp_path, FEW)


@pytest.mark.parametrize(
    "changes",
    [
        {
            "sliding_window": 3,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.75},
            "hidden_size": 32,
        },
        {"tie_word_embeddings": True, "hidden_act": "gelu"},
    ],
)
def test_odd_configs_equal_the_reference_and_write_what_it_writes(changes, tmp_path):
    model = transformers.Phi3ForCausalLM(config(**changes))
    decoder_parity(model, tmp_path, FEW)
    same_text(model, tmp_path)


def test_an_unsupported_option_is_named(tmp_path):
    transformers.Phi3ForCausalLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"rope_parameters": {"rope_type": "longrope", "factor": 2.0}})
    )
    with pytest.raises(CheckpointError, match="rope_type = 'longrope'"):
        load_model(tmp_path)


def test_a_folder_that_names_code_is_read_and_none_is_run(tmp_path):
    """As the first ones were published, before transformers had the family."""
    transformers.Phi3ForCausalLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    expected = load_model(tmp_path).model.config
    named = {"auto_map": {"AutoModelForCausalLM": "modeling_phi3.Phi3ForCausalLM"}, "attention_bias": False}
    path.write_text(json.dumps(json.loads(path.read_text()) | named))
    assert load_model(tmp_path).model.config == expected
