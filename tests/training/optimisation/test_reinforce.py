"""Learning where to look."""

import torch
import torch.nn.functional as F
from torch.testing import assert_close

from regard.models import GlimpseConfig, GlimpseNetwork
from regard.models.vision import Glances
from regard.training.optimisation.reinforce import reinforce


def test_the_gradient_of_chances_is_that_of_the_expected_reward():
    """One glimpse of three positions, where the label follows from the position: all cases can be counted."""
    scores = torch.tensor([0.3, -0.2, 0.9], dtype=torch.float64, requires_grad=True)
    pays = torch.tensor([0.0, 1.0, 0.0], dtype=torch.float64)  # the answer is right at the second position alone
    chances = torch.softmax(scores, 0)
    total = torch.zeros(3, dtype=torch.float64)
    for position in range(3):
        logits = torch.tensor([[1.0, 0.0]] if pays[position] else [[0.0, 1.0]], dtype=torch.float64)
        hope = torch.full((1, 1), 0.4, dtype=torch.float64)
        glances = Glances(logits, torch.tensor([[position]]), chances[None, None], hope)
        loss = reinforce(glances, torch.tensor([0]), curiosity=0.0)
        (gradient,) = torch.autograd.grad(loss, scores, retain_graph=True)
        total += chances[position].detach() * gradient
    (expected,) = torch.autograd.grad(-(chances * pays).sum(), scores)
    assert_close(total, expected)


def test_hopes_learn_the_reward_and_answers_the_label():
    logits = torch.randn(4, 3, requires_grad=True)
    hopes = torch.rand(4, 2, requires_grad=True)
    labels = logits.argmax(-1).clone()
    labels[0] = (labels[0] + 1) % 3  # wrong once
    glances = Glances(logits, torch.zeros(4, 2, dtype=torch.long), torch.full((4, 2, 5), 0.2), hopes)
    by_logits, by_hopes = torch.autograd.grad(reinforce(glances, labels), [logits, hopes])
    assert_close(by_logits, torch.autograd.grad(F.cross_entropy(logits, labels), logits)[0])
    reward = torch.tensor([0.0, 1, 1, 1])[:, None]
    assert_close(by_hopes, 2 * (hopes.detach() - reward) / 8)


def test_it_learns_to_look_where_the_answer_is():
    """The label is the brightness of one corner; a net that looks once has to find the corner."""
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    model = GlimpseNetwork(GlimpseConfig(size=3, labels=2, width=16, glimpses=1, patch=1))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(250):
        image = torch.rand(64, 3, 3, generator=generator).round()
        loss = reinforce(model.glances(image, generator), image[:, 2, 2].long())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    image = torch.rand(200, 3, 3, generator=generator).round()
    glances = model.glances(image)
    assert (glances.positions == 8).all()
    assert (glances.logits.argmax(-1) == image[:, 2, 2]).all()
