"""Gates that close by themselves: how often, and which."""

import math

import pytest
import torch
from looking.families import WORDS
from torch.testing import assert_close

from regard.config import AttentionConfig, EmbeddedStackConfig, EmbeddingConfig, FeedForwardConfig, StackConfig
from regard.errors import RegardError
from regard.looking import EvaluationSet, learned_gates, weakest
from regard.looking.sparse import Concrete
from regard.models import Decoder, DecoderConfig


@pytest.mark.parametrize("level", [-3.0, -0.5, 0.0, 1.5])
def test_a_gate_is_open_as_often_as_it_says(level):
    chance = (torch.arange(200_000, dtype=torch.float64) + 0.5) / 200_000  # all chances alike
    drawn = Concrete().sample(torch.tensor(level, dtype=torch.float64), chance)
    assert_close(
        (drawn > 0).double().mean(), Concrete().open_probability(torch.tensor(level)).double(), rtol=0, atol=1e-4
    )
    assert drawn.min() >= 0
    assert drawn.max() <= 1


def test_the_chance_to_be_open_is_the_published_one():
    # Louizos et al. 2018, eq. 12, with their β = 2/3, γ = -0.1, ζ = 1.1
    level = torch.tensor(0.3)
    expected = 1 / (1 + math.exp(-(0.3 - 2 / 3 * math.log(0.1 / 1.1))))
    assert_close(Concrete().open_probability(level), torch.tensor(expected))


def test_gates_close_where_a_head_is_of_no_use():
    # What half of the heads put out is noise that the answer never needs; the others hold the answer.
    torch.manual_seed(1)
    stack = StackConfig(2, 16, AttentionConfig(4), FeedForwardConfig(16))
    model = Decoder(DecoderConfig(EmbeddedStackConfig(EmbeddingConfig(WORDS), stack))).eval()
    useful = {"decoder.0.self": [0, 3], "decoder.1.self": [2]}
    tokens = torch.randint(3, WORDS, (16, 8))
    with torch.no_grad():
        for number, block in enumerate(model.decoder.stack.blocks):
            block.self.output.weight.mul_(6)
            for head in {*range(4)} - {*useful[f"decoder.{number}.self"]}:
                block.self.output.weight[:, 4 * head : 4 * head + 4] = 0
        answer = model(tokens).log_softmax(-1)

    def loss(model, batch):
        return torch.nn.functional.kl_div(model(batch).log_softmax(-1), answer, log_target=True, reduction="sum")

    exam = EvaluationSet([tokens], loss, lambda batch: batch.numel())
    found = learned_gates(model, exam, 3 / 8, steps=120)
    kept = {layer: sorted({*range(4)} - {*weakest(model, found, 3 / 8).get(layer, [])}) for layer in useful}
    assert kept == useful
    assert torch.cat([*found.values()]).mean() == pytest.approx(3 / 8, abs=0.15)


def test_a_share_is_above_0_and_at_most_1():
    with pytest.raises(RegardError, match="a share of heads above 0 and up to 1 can stay, got 0"):
        learned_gates(torch.nn.Linear(1, 1), EvaluationSet([torch.ones(1)], lambda model, batch: batch.sum()), 0)
