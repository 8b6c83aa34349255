"""How much heads matter, by taking them away."""

import torch
from torch import nn

from regard.attention import Pattern
from regard.looking.exam import Exam, Scores
from regard.looking.gates import gated


@torch.no_grad()
def ablation(model: nn.Module, exam: Exam) -> Scores:
    """How much the mean loss rises when a head is switched off, and no other: as many passes as there are heads."""
    sizes: dict[str, int] = {}

    def counted(place: str, pattern: Pattern) -> torch.Tensor:
        sizes[place] = pattern.shape[1]
        return torch.ones(pattern.shape[1])

    with gated(model, counted):
        whole = exam.mean(model)
    found: Scores = {}
    for place, heads in sizes.items():
        found[place] = torch.tensor([without(model, exam, place, head) - whole for head in range(heads)])
    return found


def without(model: nn.Module, exam: Exam, place: str, head: int) -> float:
    """The mean loss with one head off."""

    def opened(here: str, pattern: Pattern) -> torch.Tensor:
        gate = torch.ones(pattern.shape[1])
        if here == place:
            gate[head] = 0
        return gate

    with gated(model, opened):
        return exam.mean(model)
