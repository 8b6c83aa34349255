import json

import pytest
from parity import transformer_parity, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 40, "decoder_ffn_dim": 32, "max_position_embeddings": 32,
    }  # fmt: skip
    return transformers.BartConfig(**(small | changes))


def bart(**changes):
    model = transformers.BartForConditionalGeneration(config(**changes))
    model.final_logits_bias.normal_()
    return model


def test_bart_equals_the_reference(tmp_path):
    transformer_parity(bart(), tmp_path)


def test_a_bart_without_a_head_equals_the_reference(tmp_path):
    transformer_parity(transformers.BartModel(config()), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"encoder_layers": 1, "decoder_layers": 3, "scale_embedding": True, "activation_function": "relu"},
        {"encoder_layers": 2, "decoder_layers": 1, "tie_word_embeddings": False},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    transformer_parity(bart(**changes), tmp_path)


@pytest.mark.parametrize("change", [{"normalize_before": True}, {"add_final_layer_norm": True}, {"news": 1}])
def test_an_unsupported_option_is_named_in_one_line(change, tmp_path):
    bart().save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=next(iter(change))) as caught:
        load_model(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_folder_of_a_relative_is_refused_by_name(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "blenderbot"}))
    with pytest.raises(CheckpointError, match=r"model_type = .blenderbot. is not supported, only .*bart"):
        load_model(tmp_path)
