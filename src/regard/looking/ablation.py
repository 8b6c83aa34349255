"""How much heads matter, by taking them away."""

import torch
from torch import nn

from regard.attention import Pattern
from regard.looking.evaluation_set import EvaluationSet, Scores
from regard.looking.gates import gates


@torch.no_grad()
def ablation(model: nn.Module, evaluation_set: EvaluationSet) -> Scores:
    """How much the mean loss rises when a head is switched off, and no other: as many passes as there are heads."""
    sizes: dict[str, int] = {}

    def count_heads(layer: str, pattern: Pattern) -> torch.Tensor:
        sizes[layer] = pattern.shape[1]
        return torch.ones(pattern.shape[1])

    with gates(model, count_heads):
        full_loss = evaluation_set.mean(model)
    scores: Scores = {}
    for layer, heads in sizes.items():
        scores[layer] = torch.tensor([without(model, evaluation_set, layer, head) - full_loss for head in range(heads)])
    return scores


def without(model: nn.Module, evaluation_set: EvaluationSet, layer: str, head: int) -> float:
    """The mean loss with one head off."""

    def gate_of(name: str, pattern: Pattern) -> torch.Tensor:
        gate = torch.ones(pattern.shape[1])
        if name == layer:
            gate[head] = 0
        return gate

    with gates(model, gate_of):
        return evaluation_set.mean(model)
