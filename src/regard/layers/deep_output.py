"""What is known when a word is to be chosen, in one vector."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.errors import lookup


def maxout(x: Tensor) -> Tensor:
    """The larger of each two neighbours: Goodfellow et al. 2013."""
    return x.unflatten(-1, (-1, 2)).amax(-1)


DEEP_ACTIVATIONS: dict[str, tuple[Callable[[Tensor], Tensor], int]] = {"maxout": (maxout, 2), "tanh": (torch.tanh, 1)}
"""How the vector is bent, and how many numbers go into one: Bahdanau et al. 2015, A.2.2; Luong et al. 2015, eq. 5."""


class DeepOutput(nn.Module):
    """Several vectors of a position read together and bent before words are scored: Pascanu et al. 2014."""

    activation: Callable[[Tensor], Tensor]
    linear: nn.Linear

    def __init__(self, inputs: int, width: int, activation: str) -> None:
        super().__init__()
        self.activation, many = lookup(DEEP_ACTIVATIONS, activation, "deep output")
        self.linear = nn.Linear(inputs, many * width)

    def forward(self, *parts: Tensor) -> Tensor:
        return self.activation(self.linear(torch.cat(parts, -1)))
