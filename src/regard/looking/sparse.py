"""Gates that learn to close: how many heads stay is said, and which ones is found."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.attention import Pattern
from regard.errors import RegardError
from regard.looking.exam import Exam, Scores
from regard.looking.gates import frozen, gated
from regard.looking.places import Places


@dataclass(frozen=True)
class Concrete:
    """A gate that is 0, 1 or something between, by chance, so that it can be learned: Louizos et al. 2018, 2.2.

    A sigmoid of noise, stretched from `low` to `high` and cut to 0 and 1. `level` says how likely it is open.
    """

    temperature: float = 2 / 3
    low: float = -0.1
    high: float = 1.1

    def drawn(self, level: Tensor, chance: Tensor) -> Tensor:
        """A gate, from evenly distributed numbers between 0 and 1."""
        noise = chance.clamp(1e-6, 1 - 1e-6).logit()
        return self.cut(torch.sigmoid((noise + level) / self.temperature))

    def settled(self, level: Tensor) -> Tensor:
        """The gate without noise."""
        return self.cut(torch.sigmoid(level))

    def cut(self, open: Tensor) -> Tensor:
        return (open * (self.high - self.low) + self.low).clamp(0, 1)

    def open(self, level: Tensor) -> Tensor:
        """How likely the gate is not 0."""
        return torch.sigmoid(level - self.temperature * math.log(-self.low / self.high))


def learned_gates(
    model: nn.Module,
    exam: Exam,
    keep: float,
    *,
    steps: int = 200,
    rate: float = 0.1,
    concrete: Concrete = Concrete(),
    seed: int = 0,
) -> Scores:
    """How likely each head is to stay where a share `keep` of all may: gates learn, the model does not.

    The loss is that of the exam and a price on gates that are likely open (Voita et al. 2019, 5.1). What the price has
    to be is found on the way, so that as many stay as was said: a Lagrangian (Wang et al. 2020, 3.3).
    """
    if not 0 < keep <= 1:
        raise RegardError(f"a share of heads above 0 and up to 1 can stay, got {keep}")
    places = Places(model)
    levels = started(model, exam)
    owner = {place: places.of(places.layers[place])[0] for place in places.layers if place in levels}
    own = {place: levels[place].requires_grad_() for place in dict.fromkeys(owner.values())}
    prices = torch.zeros(2, requires_grad=True)
    learning = torch.optim.Adam(own.values(), lr=rate), torch.optim.Adam([prices], lr=rate, maximize=True)
    generator, drawn = torch.Generator().manual_seed(seed), dict[str, Tensor]()

    def opened(place: str, pattern: Pattern) -> Tensor:
        level = own[owner[place]]
        if place not in drawn:
            drawn[place] = concrete.drawn(level, torch.rand(pattern.shape[:2], generator=generator).to(level.device))
        return drawn[place]

    with torch.enable_grad(), frozen(model):
        for step in range(steps):
            batch = exam.batches[step % len(exam.batches)]
            drawn.clear()
            with gated(model, opened):
                missed = exam.loss(model, batch) / max(exam.count(batch), 1)
            over = torch.cat([concrete.open(level).cpu() for level in own.values()]).mean() - keep
            (missed.cpu() + prices[0] * over + prices[1] * over**2).backward()
            for optimiser in learning:
                optimiser.step()
                optimiser.zero_grad()
    return {place: concrete.open(own[first]).detach() for place, first in owner.items()}


def started(model: nn.Module, exam: Exam, level: float = 2.0) -> dict[str, Tensor]:
    """A level for every head, at which gates are nearly always open."""
    found: dict[str, Tensor] = {}

    def sized(place: str, pattern: Pattern) -> Tensor:
        found[place] = torch.full((pattern.shape[1],), level, device=pattern.query.device)
        return torch.ones(pattern.shape[1])

    with torch.no_grad(), gated(model, sized):
        exam.loss(model, exam.batches[0])
    return found
