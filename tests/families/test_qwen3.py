import json

import pytest
from parity import FEW, decoder_parity, same_text, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
        "max_position_embeddings": 64, "num_labels": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "num_key_value_heads": 2,
        "head_dim": 8,
    }  # fmt: skip
    return transformers.Qwen3Config(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "ForCausalLM", "ForSequenceClassification"])
def test_qwen3_equals_the_reference(kind, tmp_path):
    decoder_parity(getattr(transformers, f"Qwen3{kind}")(config()), tmp_path, FEW)


@pytest.mark.parametrize(
    "changes",
    [
        {"attention_bias": True, "tie_word_embeddings": True},
        {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1},
    ],
)
def test_odd_configs_equal_the_reference_and_write_what_it_writes(changes, tmp_path):
    model = transformers.Qwen3ForCausalLM(config(**changes))
    decoder_parity(model, tmp_path, FEW)
    same_text(model, tmp_path)


def test_an_unsupported_option_is_named(tmp_path):
    transformers.Qwen3ForCausalLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"layer_types": ["full_attention", "chunked_attention"]}))
    with pytest.raises(CheckpointError, match="layer_types"):
        load_model(tmp_path)
