import json

import pytest
import torch
from parity import decoder_parity, positions, reference, transformers

from regard.checkpoints import CheckpointError, load_model, save_model

KINDS = ["Model", "ForCausalLM", "ForSequenceClassification"]
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}  # fmt: skip


def config(family="Llama", **changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 40, "max_position_embeddings": 64, "num_labels": 4,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    return getattr(transformers, f"{family}Config")(**(small | changes))


@pytest.mark.parametrize("family", ["Llama", "Mistral", "Qwen2"])
@pytest.mark.parametrize("kind", KINDS)
def test_llama_and_its_kin_equal_the_reference(family, kind, tmp_path):
    decoder_parity(getattr(transformers, f"{family}{kind}")(config(family)), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 1, "num_key_value_heads": 1},
        {"head_dim": 10, "num_key_value_heads": 4},
        {"tie_word_embeddings": True},
        {"attention_bias": True},
        {"mlp_bias": True, "hidden_act": "gelu"},
        {"rms_norm_eps": 1e-3, "rope_parameters": {"rope_type": "default", "rope_theta": 50.0}},
        {"rope_parameters": {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}},
        {"rope_parameters": LLAMA3, "head_dim": 16},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    decoder_parity(transformers.LlamaForCausalLM(config(**changes)), tmp_path)


@pytest.mark.parametrize("window", [1, 3, 9, None])
def test_a_window_shorter_than_the_text_equals_the_reference(window, tmp_path):
    decoder_parity(transformers.MistralForCausalLM(config("Mistral", sliding_window=window)), tmp_path)


@pytest.mark.parametrize("rope", [LLAMA3, {"rope_type": "default", "rope_theta": 10000.0}])
def test_late_positions_are_turned_as_in_the_reference(rope, tmp_path):
    changes = {"rope_parameters": rope, "head_dim": 32, "max_position_embeddings": 4096, "num_hidden_layers": 1}
    model = reference(transformers.LlamaForCausalLM(config(**changes)), tmp_path)
    tokens = torch.randint(3, 61, (1, 1500))
    with torch.no_grad():
        torch.testing.assert_close(load_model(tmp_path).model(tokens), model(tokens).logits, rtol=0, atol=1e-5)


def test_configs_from_before_transformers_5_are_read_and_come_back(tmp_path):
    new = transformers.LlamaForCausalLM(config(rope_parameters=LLAMA3))
    model = reference(new, tmp_path)
    path = tmp_path / "config.json"
    told = json.loads(path.read_text())
    scaling = {key: value for key, value in told.pop("rope_parameters").items() if key != "rope_theta"}
    path.write_text(json.dumps(told | {"rope_theta": 500.0, "rope_scaling": scaling}))
    loaded = load_model(tmp_path)
    save_model(loaded.model, tmp_path / "again", loaded.config, loaded.architecture)
    again = transformers.LlamaForCausalLM.from_pretrained(tmp_path / "again")
    tokens, attention_mask = torch.randint(3, 61, (2, 9)), torch.ones(2, 9, dtype=torch.bool)
    expected = model(tokens, position_ids=positions(attention_mask)).logits
    torch.testing.assert_close(loaded.model(tokens), expected, rtol=0, atol=1e-5)
    torch.testing.assert_close(again(tokens).logits, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("family", "changes", "message"),
    [
        ("Llama", {"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "rope_type = 'yarn' is not supported"),
        ("Llama", {"rope_parameters": {"rope_type": "linear"}}, "rope_parameters: factor is missing"),
        ("Llama", {"rope_parameters": LLAMA3 | {"attention_factor": 2.0}}, "not supported: attention_factor"),
        ("Llama", {"rope_parameters": {"rope_theta": 1.0, "partial_rotary_factor": 0.5}}, "partial_rotary_factor"),
        ("Llama", {"sliding_window": 4}, "sliding_window"),
        ("Llama", {"hidden_act": "xielu"}, "hidden_act = 'xielu'"),
        ("Mistral", {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types"),
        ("Qwen2", {"use_sliding_window": True}, "use_sliding_window = True"),
        ("Qwen2", {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types"),
    ],
)
def test_an_unsupported_option_is_named(family, changes, message, tmp_path):
    getattr(transformers, f"{family}ForCausalLM")(config(family)).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(CheckpointError, match=message) as caught:
        load_model(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
