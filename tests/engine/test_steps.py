"""The engine's steps are the model's own."""

import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import MODELS, made, texts

from regard.engine import serve
from regard.engine.steps import Engine
from regard.models import Transformer

pytestmark = needs_engine


def walked(model, steps, rows, *, seed=0, padded=True, count=4, prompt=3):
    """Logits of a prompt and of some steps, rows reordered, repeated and dropped on the way."""
    tokens, attention_mask = texts(rows, prompt, seed + 1)
    source = texts(rows, 7, seed) if isinstance(model, Transformer) else (None, None)
    found = []
    with torch.no_grad():
        state = steps.start(source[0], source[1] if padded else None)
        logits, state = steps.step(state, tokens, attention_mask if padded else None)
        found.append(logits.clone())
        for number in range(count):
            chosen = torch.randint(len(logits), (max(1, rows + number % 3 - 1),), generator=torch.manual_seed(number))
            state = state.select(chosen)
            logits, state = steps.step(state, texts(len(chosen), 1, number)[0])
            found.append(logits.clone())
    return found


@pytest.mark.parametrize("padded", [False, True], ids=["whole", "padded"])
@pytest.mark.parametrize("rows", [1, 5, 19])
@pytest.mark.parametrize("name", MODELS)
def test_a_step_is_the_step_of_the_model(name, rows, padded):
    model = made(name)
    engine = serve(model)
    assert isinstance(engine, Engine)
    for own, compiled in zip(
        walked(model, model, rows, padded=padded), walked(model, engine, rows, padded=padded), strict=True
    ):
        torch.testing.assert_close(compiled, own, rtol=0, atol=1e-4)
