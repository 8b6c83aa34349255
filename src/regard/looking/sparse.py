"""Gates that learn to close: how many heads stay is said, and which ones is found."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.attention import Pattern
from regard.errors import RegardError
from regard.looking.evaluation_set import EvaluationSet, Scores
from regard.looking.gates import frozen_weights, gates
from regard.looking.layer_names import LayerNames


@dataclass(frozen=True)
class Concrete:
    """A gate that is 0, 1 or something between, by chance, so that it can be learned: Louizos et al. 2018, 2.2.

    A sigmoid of noise, stretched from `low` to `high` and cut to 0 and 1. `level` says how likely it is open.
    """

    temperature: float = 2 / 3
    low: float = -0.1
    high: float = 1.1

    def sample(self, level: Tensor, chance: Tensor) -> Tensor:
        """A gate, from evenly distributed numbers between 0 and 1."""
        noise = chance.clamp(1e-6, 1 - 1e-6).logit()
        return self.clip(torch.sigmoid((noise + level) / self.temperature))

    def without_noise(self, level: Tensor) -> Tensor:
        """The gate without noise."""
        return self.clip(torch.sigmoid(level))

    def clip(self, open: Tensor) -> Tensor:
        return (open * (self.high - self.low) + self.low).clamp(0, 1)

    def open_probability(self, level: Tensor) -> Tensor:
        """How likely the gate is not 0."""
        return torch.sigmoid(level - self.temperature * math.log(-self.low / self.high))


def learned_gates(
    model: nn.Module,
    evaluation_set: EvaluationSet,
    keep: float,
    *,
    steps: int = 200,
    learning_rate: float = 0.1,
    concrete: Concrete = Concrete(),
    seed: int = 0,
) -> Scores:
    """How likely each head is to stay where a share `keep` of all may: gates learn, the model does not.

    The loss is that of the exam and a price on gates that are likely open (Voita et al. 2019, 5.1). What the price has
    to be is found on the way, so that as many stay as was said: a Lagrangian (Wang et al. 2020, 3.3).
    """
    if not 0 < keep <= 1:
        raise RegardError(f"a share of heads above 0 and up to 1 can stay, got {keep}")
    layer_names = LayerNames(model)
    levels = initial_levels(model, evaluation_set)
    owner = {layer: layer_names.of(layer_names.layers[layer])[0] for layer in layer_names.layers if layer in levels}
    shared_levels = {layer: levels[layer].requires_grad_() for layer in dict.fromkeys(owner.values())}
    multipliers = torch.zeros(2, requires_grad=True)
    optimisers = (
        torch.optim.Adam(shared_levels.values(), lr=learning_rate),
        torch.optim.Adam([multipliers], lr=learning_rate, maximize=True),
    )
    generator, samples = torch.Generator().manual_seed(seed), dict[str, Tensor]()

    def sample_gates(layer: str, pattern: Pattern) -> Tensor:
        level = shared_levels[owner[layer]]
        if layer not in samples:
            samples[layer] = concrete.sample(level, torch.rand(pattern.shape[:2], generator=generator).to(level.device))
        return samples[layer]

    with torch.enable_grad(), frozen_weights(model):
        for step in range(steps):
            batch = evaluation_set.batches[step % len(evaluation_set.batches)]
            samples.clear()
            with gates(model, sample_gates):
                loss = evaluation_set.loss(model, batch) / max(evaluation_set.count(batch), 1)
            excess = (
                torch.cat([concrete.open_probability(level).cpu() for level in shared_levels.values()]).mean() - keep
            )
            (loss.cpu() + multipliers[0] * excess + multipliers[1] * excess**2).backward()
            for optimiser in optimisers:
                optimiser.step()
                optimiser.zero_grad()
    return {layer: concrete.open_probability(shared_levels[owner_name]).detach() for layer, owner_name in owner.items()}


def initial_levels(model: nn.Module, evaluation_set: EvaluationSet, level: float = 2.0) -> dict[str, Tensor]:
    """A level for every head, at which gates are nearly always open."""
    levels: dict[str, Tensor] = {}

    def add_level(layer: str, pattern: Pattern) -> Tensor:
        levels[layer] = torch.full((pattern.shape[1],), level, device=pattern.query.device)
        return torch.ones(pattern.shape[1])

    with torch.no_grad(), gates(model, add_level):
        evaluation_set.loss(model, evaluation_set.batches[0])
    return levels
