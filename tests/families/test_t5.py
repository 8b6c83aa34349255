import json

import pytest
from parity import encoder_parity, transformer_parity, transformers
from safetensors.torch import load_file, save_file

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "d_model": 24, "d_kv": 5, "d_ff": 40, "num_layers": 2, "num_decoder_layers": 2,
        "num_heads": 3, "relative_attention_num_buckets": 8, "relative_attention_max_distance": 6,
    }  # fmt: skip
    return transformers.T5Config(**(small | changes))


@pytest.mark.parametrize("kind", ["T5ForConditionalGeneration", "T5Model"])
def test_t5_equals_the_reference(kind, tmp_path):
    transformer_parity(getattr(transformers, kind)(config()), tmp_path)


def test_t5_as_an_encoder_equals_the_reference(tmp_path):
    encoder_parity(transformers.T5EncoderModel(config()), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"tie_word_embeddings": False},
        {"feed_forward_proj": "gated-gelu", "num_layers": 1, "num_decoder_layers": 3},
        {"feed_forward_proj": "gated-silu", "d_kv": 8, "num_layers": 2, "num_decoder_layers": 1},
        {"relative_attention_num_buckets": 32, "relative_attention_max_distance": 128, "layer_norm_epsilon": 1e-3},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    transformer_parity(transformers.T5ForConditionalGeneration(config(**changes)), tmp_path)


@pytest.mark.parametrize("changes", [{}, {"tie_word_embeddings": False}])
def test_a_table_of_its_own_for_the_scores_equals_the_reference(changes, tmp_path):
    """The reference ties unless the file has two tables that differ, whatever the config says."""
    model = transformers.T5ForConditionalGeneration(config(**changes))
    model.save_pretrained(tmp_path / "tied")
    tensors = load_file(tmp_path / "tied" / "model.safetensors")
    tensors["lm_head.weight"] = tensors["shared.weight"].flip(0).contiguous()
    save_file(tensors, tmp_path / "tied" / "model.safetensors", metadata={"format": "pt"})
    untied = transformers.T5ForConditionalGeneration.from_pretrained(tmp_path / "tied")
    assert untied.lm_head.weight is not untied.shared.weight
    transformer_parity(untied, tmp_path / "untied")


def test_tensors_that_older_files_have_twice_are_known(tmp_path):
    transformers.T5ForConditionalGeneration(config()).save_pretrained(tmp_path)
    tensors = load_file(tmp_path / "model.safetensors")
    for copy in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"):
        tensors[copy] = tensors["shared.weight"].clone()
    across = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    tensors[across] = tensors["decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"].clone()
    save_file(tensors, tmp_path / "model.safetensors")
    loaded = load_model(tmp_path)
    assert loaded.model.output.weight is loaded.model.encoder.embedding.table.weight
    assert list(loaded.spare) == [across]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"feed_forward_proj": "gated-mish"}, "feed_forward_proj = 'gated-mish' is not supported"),
        ({"dense_act_fn": "gelu"}, "dense_act_fn = 'gelu' is not supported, only 'relu'"),
        ({"news": 1}, "options that are not supported: news"),
    ],
)
def test_an_unsupported_option_is_named_in_one_line(change, named, tmp_path):
    transformers.T5ForConditionalGeneration(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match=named) as caught:
        load_model(tmp_path)
    assert "\n" not in str(caught.value)
