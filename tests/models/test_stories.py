"""A real model that nobody here made: stories260K (karpathy/tinyllamas), from llama2.c's own file."""

import json
import struct

import pytest
import torch
from shared import shared
from torch import Tensor

from regard.models import (
    AttentionConfig,
    Decoder,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    PositionConfig,
    StackConfig,
)


def read_story_model(data: bytes) -> Decoder:
    """A llama2.c "legacy" file: seven sizes, then all numbers, layer by layer within each kind of tensor."""
    width, inner, layers, heads, groups, vocabulary, _ = struct.unpack("<7i", data[:28])
    numbers, head_width, start = torch.frombuffer(bytearray(data[28:]), dtype=torch.float32), width // heads, 0

    def take(*shape: int) -> Tensor:
        nonlocal start
        size = torch.Size(shape).numel()
        start += size
        return numbers[start - size : start].view(shape)

    words, look_norm = take(vocabulary, width), take(layers, width)
    query = take(layers, heads * head_width, width)
    key, value = take(layers, groups * head_width, width), take(layers, groups * head_width, width)
    output, inner_norm = take(layers, width, heads * head_width), take(layers, width)
    bent, narrow, straight = take(layers, inner, width), take(layers, width, inner), take(layers, inner, width)
    tensors = {
        "decoder.embedding.table.weight": words,
        "output.weight": words,
        "decoder.stack.norm.weight": take(width),
    }
    for layer in range(layers):
        tensors |= {
            f"decoder.stack.blocks.{layer}.{name}.weight": tensor
            for name, tensor in {
                "self.qkv": torch.cat([query[layer], key[layer], value[layer]]),
                "self.output": output[layer],
                "self_norm": look_norm[layer],
                "feed_forward.widen": torch.cat([bent[layer], straight[layer]]),
                "feed_forward.narrow": narrow[layer],
                "feed_forward_norm": inner_norm[layer],
            }.items()
        }
    stack = StackConfig(
        layers,
        width,
        AttentionConfig(heads, kv_heads=groups, bias=False),
        FeedForwardConfig(inner, "silu", gated=True, bias=False),
        NormConfig("rms", 1e-5),
    )
    position = PositionConfig("rotary", {"head_width": head_width, "pairing": "neighbours"})
    model = Decoder(DecoderConfig(EmbeddedStackConfig(EmbeddingConfig(vocabulary), stack, position)))
    model.load_state_dict(tensors)
    return model.eval()


@pytest.fixture(scope="module")
def model():
    return read_story_model(shared("stories260K/stories260K.bin").read_bytes())


@pytest.fixture(scope="module")
def told():
    return json.loads(shared("stories260K/reference.json").read_text())


@torch.no_grad()
def test_the_scores_are_those_of_the_reference(model, told):
    ids = torch.tensor([told["greedy_ids"]])
    logits = model(ids)
    torch.testing.assert_close(logits[0, :4], torch.tensor(told["logits_first4"]), rtol=0, atol=2e-5)
    surprise = torch.nn.functional.cross_entropy(logits[0, :-1], ids[0, 1:]).item()
    assert surprise == pytest.approx(told["mean_nll"], abs=1e-5)


@torch.no_grad()
def test_the_story_goes_on_word_for_word(model, told):
    ids, state = [told["greedy_ids"][0]], model.start()
    while len(ids) < len(told["greedy_ids"]):
        scores, state = model.step(state, torch.tensor([ids[-1:]]))
        ids.append(int(scores.argmax()))
    assert ids == told["greedy_ids"]
