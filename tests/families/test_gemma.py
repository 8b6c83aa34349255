import json

import pytest
from parity import FEW, decoder_parity, same_text, transformers

from regard.checkpoints import CheckpointError, load_model

NEAR_AND_FAR = {
    "sliding_window": 3,
    "query_pre_attn_scalar": 16,
    "layer_types": ["sliding_attention", "full_attention"],
}
ROPE = {
    "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
    "full_attention": {"rope_type": "linear", "rope_theta": 1000.0, "factor": 2.0},
}


def config(family, **changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
        "max_position_embeddings": 64, "num_labels": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "num_key_value_heads": 2, "head_dim": 8,
    }  # fmt: skip
    small |= {} if family == "Gemma" else NEAR_AND_FAR
    return getattr(transformers, f"{family}Config")(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "ForCausalLM", "ForSequenceClassification"])
@pytest.mark.parametrize("family", ["Gemma", "Gemma2", "Gemma3Text"])
def test_gemma_1_to_3_equal_the_reference(family, kind, tmp_path):
    name = "Gemma3ForCausalLM" if (family, kind) == ("Gemma3Text", "ForCausalLM") else f"{family}{kind}"
    model = getattr(transformers, name)(config(family))
    decoder_parity(model, tmp_path, FEW)
    if kind == "ForCausalLM":
        same_text(model, tmp_path)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("Gemma", {"attention_bias": True, "hidden_act": "gelu", "tie_word_embeddings": False}),
        (
            "Gemma2",
            {
                "attn_logit_softcapping": 0.5,
                "final_logit_softcapping": 1.5,
                "num_hidden_layers": 3,
                "layer_types": None,
            },
        ),
        ("Gemma2", {"attn_logit_softcapping": None, "final_logit_softcapping": None}),
        ("Gemma3Text", {"final_logit_softcapping": 2.0, "rope_parameters": ROPE}),
    ],
)
def test_odd_configs_equal_the_reference(name, changes, tmp_path):
    model = getattr(transformers, f"{name.removesuffix('Text')}ForCausalLM")(config(name, **changes))
    decoder_parity(model, tmp_path, FEW)


def test_configs_from_before_transformers_5_are_read(tmp_path):
    transformers.Gemma3ForCausalLM(config("Gemma3Text", rope_parameters=ROPE)).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    told = json.loads(path.read_text())
    expected = load_model(tmp_path).model.config
    told |= {"rope_theta": 1000.0, "rope_local_base_freq": 50.0, "rope_scaling": {"rope_type": "linear", "factor": 2.0}}
    del told["rope_parameters"], told["layer_types"]
    path.write_text(json.dumps(told | {"sliding_window_pattern": 2}))
    assert load_model(tmp_path).model.config == expected


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("Gemma", {"use_bidirectional_attention": True}),
        ("Gemma3Text", {"attn_logit_softcapping": 5.0}),
        ("Gemma2", {"layer_types": ["full_attention", "chunked_attention"]}),
    ],
)
def test_an_unsupported_option_is_named(name, changes, tmp_path):
    getattr(transformers, f"{name.removesuffix('Text')}ForCausalLM")(config(name)).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(CheckpointError, match=next(iter(changes))):
        load_model(tmp_path)
