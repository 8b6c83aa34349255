"""docs/teacher_forcing.md: all positions at once, and a guess at every word."""

import pytest
import torch
import torch.nn.functional as F
from diagram_examples import CONFIGS
from torch.testing import assert_close

from regard.models import build


@pytest.mark.parametrize("name", ["marian", "t5", "bart", "before", "after"])
def test_all_at_once_is_one_by_one(name):
    model = build(CONFIGS[name]).double().eval()
    source, target = torch.randint(30, (2, 6)), torch.randint(30, (2, 5))
    state, steps = model.start(source), []
    for token in target.split(1, 1):
        scores, state = model.step(state, token)
        steps.append(scores)
    assert_close(torch.cat(steps, 1), model(source, target))


@pytest.mark.parametrize("name", ["openai-gpt", "llama", "xl"])
def test_no_position_sees_a_word_behind_it(name):
    model = build(CONFIGS[name]).double().eval()
    tokens = torch.randint(40, (1, 4))
    vectors = model.decoder.embedding.table(tokens).detach().requires_grad_()
    handle = model.decoder.embedding.table.register_forward_hook(lambda *_: vectors)
    scores = model(tokens)
    handle.remove()
    for position in range(4):
        (gradient,) = torch.autograd.grad(scores[0, position].logsumexp(0), vectors, retain_graph=True)
        assert not gradient[0, position + 1 :].any()
        assert gradient[0, position].any()


def test_the_loss_of_a_text_is_the_mean_of_its_guesses():
    model = build(CONFIGS["openai-gpt"]).double().eval()
    text = torch.randint(40, (1, 6))
    whole = F.cross_entropy(model(text[:, :-1])[0], text[0, 1:])
    guesses = [F.cross_entropy(model(text[:, :length])[0, -1:], text[0, length : length + 1]) for length in range(1, 6)]
    assert_close(whole, torch.stack(guesses).mean())
