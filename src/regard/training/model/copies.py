"""The copies of a memory network that learn side by side, each as if it were alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from regard.models import MemoryNetwork, MemoryNetworkConfig


def by_copy(weight: Float[Tensor, "... copies width"]) -> Float[Tensor, "copies ... width"]:
    """A weight or its gradient, copy by copy: a view."""
    return weight.movedim(-2, 0)


def copy_weights(model: MemoryNetwork, copy: int) -> Iterator[Tensor]:
    """Every weight's share that belongs to a copy."""
    return (by_copy(weight)[copy] for weight in model.parameters())


@torch.no_grad()
def draw_weights(model: MemoryNetwork, seeds: Sequence[int]) -> None:
    """Fresh weights from a seed for each copy, as in Sukhbaatar et al. 2015, 4.2; the others change nothing."""
    for copy, seed in enumerate(seeds):
        generator = torch.Generator().manual_seed(seed)
        for weight in copy_weights(model, copy):
            weight.copy_(torch.normal(0.0, 0.1, weight.shape, generator=generator))


def model_of_copies(config: MemoryNetworkConfig, seeds: Sequence[int]) -> MemoryNetwork:
    """A model of one copy for each seed."""
    model = MemoryNetwork(replace(config, copies=len(seeds)))
    draw_weights(model, seeds)
    return model


@torch.no_grad()
def single_copy(model: MemoryNetwork, copy: int) -> MemoryNetwork:
    """One copy as a model of its own."""
    alone = MemoryNetwork(replace(model.config, copies=1))
    for weight, copy_weight in zip(copy_weights(alone, 0), copy_weights(model, copy), strict=True):
        weight.copy_(copy_weight)
    return alone.eval()
