import json

import pytest
import torch
from parity import decoder_parity, reference, transformers
from safetensors.torch import load_file, save_file

from regard.checkpoints import CheckpointError, load_model

KINDS = ["Model", "LMHeadModel", "ForSequenceClassification"]


def config(**changes):
    small = {
        "vocab_size": 61, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 32, "num_labels": 4,
        "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    return transformers.GPT2Config(**(small | changes))


@pytest.mark.parametrize("kind", KINDS)
def test_gpt2_equals_the_reference(kind, tmp_path):
    decoder_parity(getattr(transformers, f"GPT2{kind}")(config()), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"n_layer": 1, "n_head": 1},
        {"n_inner": 20, "activation_function": "relu"},
        {"tie_word_embeddings": False},
        {"scale_attn_weights": False, "layer_norm_epsilon": 1e-3},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    decoder_parity(transformers.GPT2LMHeadModel(config(**changes)), tmp_path)


def test_tensors_of_the_bare_model_fill_a_model_with_a_head(tmp_path):
    """openai-community/gpt2 is saved so, with its causal masks."""
    reference(transformers.GPT2LMHeadModel(config()), tmp_path)
    whole = load_model(tmp_path).model
    tensors = {name.removeprefix("transformer."): tensor for name, tensor in weights(tmp_path).items()}
    tensors |= {f"h.{layer}.attn.bias": torch.ones(1, 1, 32, 32).tril() for layer in range(2)}
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    bare = load_model(tmp_path).model
    for name, parameter in whole.named_parameters():
        assert torch.equal(parameter, bare.get_parameter(name)), name


def test_matrices_lie_in_memory_as_they_are_read(tmp_path):
    reference(transformers.GPT2LMHeadModel(config()), tmp_path)
    assert all(parameter.is_contiguous() for parameter in load_model(tmp_path).model.parameters())


@pytest.mark.parametrize(
    "changes",
    [
        {"scale_attn_by_inverse_layer_idx": True},
        {"reorder_and_upcast_attn": True},
        {"add_cross_attention": True},
        {"activation_function": "quick_gelu"},
        {"rotary_dim": 8},
    ],
)
def test_an_unsupported_option_is_named(changes, tmp_path):
    reference(transformers.GPT2LMHeadModel(config()), tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(CheckpointError, match=next(iter(changes))) as caught:
        load_model(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def weights(folder):
    return load_file(folder / "model.safetensors")
