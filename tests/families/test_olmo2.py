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
    return transformers.Olmo2Config(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "ForCausalLM", "ForSequenceClassification"])
def test_olmo2_equals_the_reference(kind, tmp_path):
    decoder_parity(getattr(transformers, f"Olmo2{kind}")(config()), tmp_path, FEW)


@pytest.mark.parametrize(
    "changes",
    [
        {"attention_bias": True, "num_key_value_heads": 4, "tie_word_embeddings": True},
    ],
)
def test_odd_configs_equal_the_reference_and_write_what_it_writes(changes, tmp_path):
    model = transformers.Olmo2ForCausalLM(config(**changes))
    decoder_parity(model, tmp_path, FEW)
    same_text(model, tmp_path)


def test_an_unsupported_option_is_named(tmp_path):
    transformers.Olmo2ForCausalLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"clip_qkv": 1.0}))
    with pytest.raises(CheckpointError, match="clip_qkv"):
        load_model(tmp_path)
