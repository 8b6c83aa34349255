import json

import pytest
from parity import FEW, same_text, transformer_parity, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 40, "decoder_ffn_dim": 32, "max_position_embeddings": 32,
    }  # fmt: skip
    return transformers.MBartConfig(**(small | changes))


def test_mbart_equals_the_reference_and_writes_what_it_writes(tmp_path):
    model = transformers.MBartForConditionalGeneration(config())
    transformer_parity(model, tmp_path, FEW)
    same_text(model, tmp_path)


def test_odd_configs_equal_the_reference(tmp_path):
    transformer_parity(
        transformers.MBartForConditionalGeneration(
            config(**{"scale_embedding": True, "decoder_layers": 1, "activation_function": "relu"})
        ),
        tmp_path / "odd",
    )
    transformer_parity(transformers.MBartModel(config()), tmp_path / "bare", FEW)


@pytest.mark.parametrize("change", [{"normalize_before": False}, {"add_bias_logits": True}, {"news": 1}])
def test_an_unsupported_option_is_named(change, tmp_path):
    transformers.MBartForConditionalGeneration(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=next(iter(change))):
        load_model(tmp_path)
