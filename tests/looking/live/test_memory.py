"""What a watched generation of a live model keeps."""

import pytest
import torch

import regard

transformers = pytest.importorskip("transformers")


def gpt2():
    config = transformers.GPT2Config(vocab_size=61, n_embd=32, n_layer=2, n_head=2, n_positions=320)
    return transformers.GPT2LMHeadModel(config).eval()


def storages(value, known=None):
    """Bytes of all tensors that can be reached, each storage once."""
    known = {} if known is None else known
    if isinstance(value, torch.Tensor):
        known[value.untyped_storage().data_ptr()] = value.untyped_storage().nbytes()
    elif isinstance(value, dict):
        for part in value.values():
            storages(part, known)
    elif isinstance(value, list | tuple):
        for part in value:
            storages(part, known)
    elif type(value).__module__.startswith("regard.") and hasattr(value, "__dict__"):
        storages(vars(value), known)
    return sum(known.values())


@pytest.mark.parametrize("given", [{}, {"num_beams": 3}])
@pytest.mark.parametrize("padded", [False, True])
def test_a_watched_generation_keeps_each_key_once(given, padded):
    model, tokens = gpt2(), torch.randint(5, 61, (2, 100))
    mask = torch.ones_like(tokens)
    if padded:
        mask[0, :20] = 0
    with torch.no_grad(), regard.watch(model, "*self") as seen:
        model.generate(
            tokens,
            attention_mask=mask,
            max_new_tokens=200,
            min_new_tokens=200,
            do_sample=False,
            pad_token_id=0,
            **given,
        )
    rows = 2 * given.get("num_beams", 1)
    once = 2 * rows * 300 * 32 * 4  # keys of two layers, four bytes a number
    assert storages([seen._patterns]) < 4 * once  # with queries, masks, the log-sum-exp and room to grow
