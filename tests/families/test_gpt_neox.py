import json

import pytest
from parity import FEW, decoder_parity, same_text, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
        "max_position_embeddings": 64, "num_labels": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "hidden_size": 32,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5},
    }  # fmt: skip
    return transformers.GPTNeoXConfig(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "ForCausalLM", "ForSequenceClassification"])
def test_gpt_neox_equals_the_reference(kind, tmp_path):
    decoder_parity(getattr(transformers, f"GPTNeoX{kind}")(config()), tmp_path, FEW)


@pytest.mark.parametrize(
    "changes",
    [
        {"use_parallel_residual": False, "hidden_act": "gelu_new"},
        {
            "attention_bias": False,
            "tie_word_embeddings": True,
            "rope_parameters": {
                "rope_type": "linear",
                "factor": 2.0,
                "rope_theta": 500.0,
                "partial_rotary_factor": 1.0,
            },
        },
    ],
)
def test_odd_configs_equal_the_reference_and_write_what_it_writes(changes, tmp_path):
    model = transformers.GPTNeoXForCausalLM(config(**changes))
    decoder_parity(model, tmp_path, FEW)
    same_text(model, tmp_path)


def test_an_unsupported_option_is_named(tmp_path):
    transformers.GPTNeoXForCausalLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"rope_parameters": {"rope_type": "yarn", "factor": 2.0}})
    )
    with pytest.raises(CheckpointError, match="rope_type = 'yarn'"):
        load_model(tmp_path)
