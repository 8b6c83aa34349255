import json

import pytest
import torch
from parity import comes_back, reference, transformers

import regard
from regard.checkpoints import CheckpointError, load_model


def config(**changes):
    small = {
        "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "image_size": 8,
        "patch_size": 4, "num_labels": 4,
    }  # fmt: skip
    return transformers.ViTConfig(**(small | changes))


@pytest.mark.parametrize("changes", [{}, {"num_channels": 1, "qkv_bias": False, "hidden_act": "relu", "patch_size": 2}])
def test_vit_equals_the_reference(changes, tmp_path):
    model = reference(transformers.ViTForImageClassification(config(**changes)), tmp_path)
    loaded = load_model(tmp_path)
    images = torch.randn(3, model.config.num_channels, 8, 8, generator=torch.Generator().manual_seed(0))
    expected = model(images, output_attentions=True)
    with regard.watch(loaded.model) as seen:
        found = loaded.model(images)
    torch.testing.assert_close(found, expected.logits, rtol=0, atol=1e-5)
    for layer, weights in enumerate(expected.attentions):
        torch.testing.assert_close(seen[f"encoder.{layer}.self"].weights(), weights, rtol=0, atol=1e-6)
    expected.logits.logsumexp(-1).sum().backward()
    found.logsumexp(-1).sum().backward()
    theirs = model.vit.embeddings.patch_embeddings.projection.weight.grad
    torch.testing.assert_close(loaded.model.pieces.weight.grad, theirs.flatten(1), rtol=1e-4, atol=1e-4)
    comes_back(loaded, model, tmp_path / "again")


@pytest.mark.parametrize("change", [{"patch_size": 3}, {"image_size": [8, 8]}, {"num_channels": 4}, {"news": 1}])
def test_what_does_not_fit_is_named(change, tmp_path):
    transformers.ViTForImageClassification(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match="projection.weight" if "num_channels" in change else next(iter(change))):
        load_model(tmp_path)
