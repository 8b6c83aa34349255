import json

import pytest
import torch
from parity import transformer_parity, transformers
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 40, "decoder_ffn_dim": 32, "max_position_embeddings": 32,
        "scale_embedding": True, "activation_function": "swish", "pad_token_id": 1, "decoder_start_token_id": 1,
    }  # fmt: skip
    return transformers.MarianConfig(**(small | changes))


def marian(**changes):
    model = transformers.MarianMTModel(config(**changes))
    model.final_logits_bias.normal_()
    return model


def test_marian_equals_the_reference(tmp_path):
    transformer_parity(marian(), tmp_path)


def test_a_marian_without_a_head_equals_the_reference(tmp_path):
    transformer_parity(transformers.MarianModel(config()), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"encoder_layers": 1, "decoder_layers": 3, "scale_embedding": False, "activation_function": "relu"},
        {"encoder_layers": 2, "decoder_layers": 1, "share_encoder_decoder_embeddings": False, "decoder_vocab_size": 47},
        {"tie_word_embeddings": False},
        {"share_encoder_decoder_embeddings": False, "decoder_vocab_size": 47, "tie_word_embeddings": False},
        {"d_model": 15, "encoder_attention_heads": 5, "decoder_attention_heads": 3},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    transformer_parity(marian(**changes), tmp_path)


def test_positions_far_on_equal_the_reference(tmp_path):
    model = marian(max_position_embeddings=1000)
    model.save_pretrained(tmp_path)
    position = load_model(tmp_path).model.encoder.position
    found = position.embed(torch.zeros(1, 1000, 24), torch.arange(1000)[None])
    assert_close(found[0], model.model.encoder.embed_positions.weight, rtol=0, atol=1e-7)


def test_tables_of_positions_in_a_file_are_known_and_a_missing_bias_is_none(tmp_path):
    model = marian()
    model.save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    del tensors["final_logits_bias"]
    for side in ("encoder", "decoder"):
        tensors[f"model.{side}.embed_positions.weight"] = model.model.encoder.embed_positions.weight.clone()
    save_file(tensors, tmp_path / "model.safetensors")
    loaded = load_model(tmp_path)
    assert loaded.model.output.bias is None
    assert sorted(loaded.spare) == ["model.decoder.embed_positions.weight", "model.encoder.embed_positions.weight"]


@pytest.mark.parametrize("change", [{"normalize_before": True}, {"static_position_embeddings": False}, {"news": 1}])
def test_an_unsupported_option_is_named_in_one_line(change, tmp_path):
    marian().save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=next(iter(change))) as caught:
        load_model(tmp_path)
    assert "\n" not in str(caught.value)
