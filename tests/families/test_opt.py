import json

import pytest
from parity import FEW, decoder_parity, same_text, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "word_embed_proj_dim": 24, "num_hidden_layers": 2, "ffn_dim": 40,
        "num_attention_heads": 4, "max_position_embeddings": 32, "num_labels": 4, "pad_token_id": 0, "bos_token_id": 1,
        "eos_token_id": 2,
    }  # fmt: skip
    return transformers.OPTConfig(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "ForCausalLM", "ForSequenceClassification"])
def test_opt_equals_the_reference(kind, tmp_path):
    model = getattr(transformers, f"OPT{kind}")(config())
    decoder_parity(model, tmp_path, FEW)
    if kind == "ForCausalLM":
        same_text(model, tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"do_layer_norm_before": False, "enable_bias": False},
        {"_remove_final_layer_norm": True, "tie_word_embeddings": False, "activation_function": "gelu"},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    decoder_parity(transformers.OPTForCausalLM(config(**changes)), tmp_path, FEW)


@pytest.mark.parametrize("changes", [{"word_embed_proj_dim": 12}, {"layer_norm_elementwise_affine": False}])
def test_an_unsupported_option_is_named(changes, tmp_path):
    transformers.OPTForCausalLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(CheckpointError, match=next(iter(changes))):
        load_model(tmp_path)
