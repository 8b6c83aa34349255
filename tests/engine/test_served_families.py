"""Which families the engine serves: it says what the model says, or leaves it to PyTorch. Never another answer."""

import pytest
import torch
from needs_engine import needs_engine

from regard.engine import serve
from regard.engine.steps import Engine
from regard.families import EXAMPLES
from regard.models import Decoder, Transformer, build

pytestmark = needs_engine
LEFT_TO_TORCH = {"qwen3", "phi3", "gemma2", "gemma3_text", "olmo2", "gpt_neox", "mixtral"}
"""Phi-3 is served where all of each head is turned, as its first models have it."""
WRITERS = {
    name: config
    for name, example in EXAMPLES.items()
    if name != "xl" and (config := example().config).__class__.__name__ in ("DecoderConfig", "TransformerConfig")
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_family_is_served_as_torch_has_it_or_left_to_torch(name):
    torch.manual_seed(0)
    model = build(WRITERS[name]).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    assert isinstance(model, Decoder | Transformer)
    steps = serve(model, wait=True)
    assert isinstance(steps, Engine) == (name not in LEFT_TO_TORCH)
    tokens, source = torch.randint(0, 40, (2, 6)), torch.randint(0, 40, (2, 7))
    with torch.no_grad():
        whole = model(source, tokens) if isinstance(model, Transformer) else model(tokens)
        state = steps.start(source, None) if isinstance(model, Transformer) else steps.start(None, None)
        for number in range(tokens.shape[1]):
            logits, state = steps.step(state, tokens[:, number : number + 1])
            torch.testing.assert_close(logits[:, -1].clone(), whole[:, number], rtol=1e-4, atol=1e-4)
