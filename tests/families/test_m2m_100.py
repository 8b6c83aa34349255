import json

import pytest
from parity import FEW, same_text, transformer_parity, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 40, "decoder_ffn_dim": 32, "max_position_embeddings": 32,
        "pad_token_id": 1, "decoder_start_token_id": 0,
    }  # fmt: skip
    return transformers.M2M100Config(**(small | changes))


def test_m2m_100_equals_the_reference_and_writes_what_it_writes(tmp_path):
    model = transformers.M2M100ForConditionalGeneration(config())
    transformer_parity(model, tmp_path, FEW)
    same_text(model, tmp_path)


def test_odd_configs_equal_the_reference(tmp_path):
    transformer_parity(
        transformers.M2M100ForConditionalGeneration(config(**{"scale_embedding": False, "decoder_layers": 1})),
        tmp_path / "odd",
    )
    transformer_parity(transformers.M2M100Model(config()), tmp_path / "bare", FEW)


@pytest.mark.parametrize("change", [{"normalize_before": False}, {"add_bias_logits": True}, {"news": 1}])
def test_an_unsupported_option_is_named(change, tmp_path):
    transformers.M2M100ForConditionalGeneration(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=next(iter(change))):
        load_model(tmp_path)
