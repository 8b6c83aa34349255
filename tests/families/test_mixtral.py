import json

import pytest
import torch
from parity import FEW, decoder_parity, reference, same_text, transformers

from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 40,
        "max_position_embeddings": 64, "num_labels": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "num_key_value_heads": 2, "num_local_experts": 3, "num_experts_per_tok": 2,
    }  # fmt: skip
    return transformers.MixtralConfig(**(small | changes))


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("Model", {}),
        ("ForCausalLM", {}),
        ("ForSequenceClassification", {}),
        ("ForCausalLM", {"num_experts_per_tok": 1, "sliding_window": 3, "tie_word_embeddings": True}),
    ],
)
def test_mixtral_equals_the_reference(kind, changes, tmp_path):
    model = getattr(transformers, f"Mixtral{kind}")(config(**changes))
    decoder_parity(model, tmp_path, FEW)
    if kind == "ForCausalLM":
        same_text(model, tmp_path)


def test_an_unsupported_option_is_named(tmp_path):
    transformers.MixtralForCausalLM(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"num_experts_per_tok": 4}))
    with pytest.raises(CheckpointError, match="num_experts_per_tok"):
        load_model(tmp_path)


def test_gradients_of_experts_equal_the_reference(tmp_path):
    model = reference(transformers.MixtralForCausalLM(config()), tmp_path)
    ours = load_model(tmp_path).model
    tokens = torch.randint(3, 61, (2, 9), generator=torch.Generator().manual_seed(0))
    model(tokens).logits.logsumexp(-1).sum().backward()
    ours(tokens).logsumexp(-1).sum().backward()
    for block, layer in zip(ours.decoder.stack.blocks, model.model.layers, strict=True):
        for number, expert in enumerate(block.feed_forward.experts):
            theirs = layer.mlp.experts
            torch.testing.assert_close(expert.widen.weight.grad, theirs.gate_up_proj.grad[number], rtol=1e-4, atol=1e-4)
            torch.testing.assert_close(expert.narrow.weight.grad, theirs.down_proj.grad[number], rtol=1e-4, atol=1e-4)
