"""Vectors become a score for every word."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.errors import lookup
from regard.layers.feedforward import ACTIVATIONS
from regard.layers.linear import Linear


class Transform(nn.Module):
    """A last dense layer, bent and normalised, before words are scored: Devlin et al. 2019."""

    dense: Linear
    activation: Callable[[Tensor], Tensor]
    norm: nn.Module

    def __init__(
        self, width: int, embedding_width: int, activation: str, norm: nn.Module, *, bias: bool = True
    ) -> None:
        super().__init__()
        self.dense = Linear(width, embedding_width, bias=bias)
        self.activation = lookup(ACTIVATIONS, activation, "activation")
        self.norm = norm

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.activation(self.dense(x)))


class Output(nn.Module):
    """A score for every word of the vocabulary; with `tied`, by the table that words came from: Press and Wolf 2017.

    With `cap`, scores are bent so that they stay between -cap and cap: Gemma Team 2024.
    """

    transform: Transform | None
    weight: nn.Parameter | Tensor
    bias: nn.Parameter | None
    scale: float
    cap: float | None

    def __init__(
        self,
        width: int,
        vocabulary: int,
        *,
        tied: nn.Embedding | None = None,
        bias: bool = False,
        scale: float = 1.0,
        transform: Transform | None = None,
        cap: float | None = None,
    ) -> None:
        super().__init__()
        self.transform = transform
        self.weight = nn.Parameter(torch.empty(vocabulary, width)) if tied is None else tied.weight
        if tied is None:
            nn.init.normal_(self.weight, std=width**-0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary)) if bias else None
        self.scale, self.cap = scale, cap

    def forward(self, x: Tensor) -> Tensor:
        x = x if self.transform is None else self.transform(x)
        scores = F.linear(x if self.scale == 1 else x * self.scale, self.weight, self.bias)
        return scores if self.cap is None else torch.tanh(scores / self.cap) * self.cap
