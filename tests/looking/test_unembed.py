import pytest
import torch
from looking.built import decoder
from looking.families import made
from torch.testing import assert_close

from regard.errors import RegardError
from regard.looking.unembed import Unembedding


@torch.no_grad()
@pytest.mark.parametrize("family", ["gpt2", "llama", "t5", "bart", "bert", "albert"])
def test_the_stream_at_the_end_is_what_the_model_says(family):
    model, _, _ = made(family)
    last = Unembedding(model)
    tokens = torch.randint(3, 40, (1, 5))
    with_words = (tokens, tokens) if hasattr(model, "encoder") and hasattr(model, "decoder") else (tokens,)
    seen = []
    hook = [*last.blocks.values()][-1].register_forward_hook(lambda module, given, out: seen.append(out))
    expected = model(*with_words)
    hook.remove()
    assert_close(last.stream(seen[-1]), expected)


@torch.no_grad()
def test_a_direction_is_what_a_step_adds_to_every_score():
    model = decoder(vocabulary=20)
    model.output.scale = 0.5
    last = Unembedding(model)
    gain = torch.rand(32) + 0.5
    model.decoder.stack.norm.weight.copy_(gain)
    x, step = torch.randn(3, 32), torch.randn(3, 32)
    after, before = (model.output(gain * vectors) for vectors in (x + step, x))  # the norm's gain, not its size
    assert_close(last.direction(step), after - before, rtol=1e-4, atol=1e-5)


def test_only_models_that_score_words_have_one():
    with pytest.raises(RegardError, match="an output expected"):
        Unembedding(torch.nn.Linear(2, 2))
