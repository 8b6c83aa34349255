import json

import pytest
from parity import FEW, encoder_parity, same_text, transformer_parity, transformers
from safetensors.torch import load_file, save_file

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "d_model": 24, "d_kv": 5, "d_ff": 40, "num_layers": 2, "num_decoder_layers": 1,
        "num_heads": 3, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 6,
    }  # fmt: skip
    return transformers.MT5Config(**(small | changes))


def test_mt5_equals_the_reference_and_writes_what_it_writes(tmp_path):
    model = transformers.MT5ForConditionalGeneration(config())
    transformer_parity(model, tmp_path, FEW)
    same_text(model, tmp_path)


def test_a_table_of_its_own_for_the_scores_equals_the_reference(tmp_path):
    """As all published ones have it."""
    transformers.MT5ForConditionalGeneration(config()).save_pretrained(tmp_path / "tied")
    tensors = load_file(tmp_path / "tied" / "model.safetensors")
    tensors["lm_head.weight"] = tensors["shared.weight"].flip(0).contiguous()
    save_file(tensors, tmp_path / "tied" / "model.safetensors", metadata={"format": "pt"})
    untied = transformers.MT5ForConditionalGeneration.from_pretrained(tmp_path / "tied")
    transformer_parity(untied, tmp_path / "untied", FEW)


def test_mt5_as_an_encoder_equals_the_reference(tmp_path):
    encoder_parity(transformers.MT5EncoderModel(config()), tmp_path, FEW)


def test_an_unsupported_option_is_named(tmp_path):
    transformers.MT5ForConditionalGeneration(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"scale_decoder_outputs": True}))
    with pytest.raises(CheckpointError, match="scale_decoder_outputs"):
        load_model(tmp_path)
