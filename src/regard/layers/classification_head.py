"""One answer for a whole text, or one for each token."""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import lookup
from regard.layers.dropout import Dropout
from regard.layers.feedforward import ACTIVATIONS
from regard.layers.linear import Linear
from regard.shapes import AttentionMask, Stream

Pool = Literal["first", "last", "mean"]
Pooled = Float[Tensor, "batch width"]


def pool_tokens(x: Stream, attention_mask: AttentionMask | None, pool: Pool) -> Pooled:
    """One vector for a text: that of its first or last real token, or the mean of all real ones."""
    if attention_mask is None:
        return x[:, 0] if pool == "first" else x[:, -1] if pool == "last" else x.mean(1)
    rows = torch.arange(len(x), device=x.device)
    if pool == "first":
        return x[rows, attention_mask.int().argmax(-1)]
    if pool == "last":
        return x[rows, attention_mask.shape[1] - 1 - attention_mask.flip(-1).int().argmax(-1)]
    weight = attention_mask[..., None].to(x.dtype)
    return (x * weight).sum(1) / weight.sum(1).clamp(min=1)


class DenseLayer(nn.Module):
    """A bent linear layer."""

    linear: Linear
    activation: Callable[[Tensor], Tensor]

    def __init__(self, width: int, activation: str, *, bias: bool = True) -> None:
        super().__init__()
        self.linear = Linear(width, width, bias=bias)
        self.activation = lookup(ACTIVATIONS, activation, "activation")

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.linear(x))


class ClassificationHead(nn.Module):
    """A score for every label of a text, or of each of its tokens (`pool=None`).

    `activation` puts a dense layer in between: BERT's pooler.
    """

    dense: DenseLayer | None
    norm: nn.Module | None
    dropout: Dropout
    labels: Linear

    def __init__(
        self,
        width: int,
        labels: int,
        *,
        pool: Pool | None = "first",
        activation: str | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        dense_bias: bool = True,
        norm: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.pool: Pool | None = pool
        self.dense = None if activation is None else DenseLayer(width, activation, bias=dense_bias)
        self.norm = norm
        self.dropout = Dropout(dropout)
        self.labels = Linear(width, labels, bias=bias)

    def forward(self, x: Stream, attention_mask: AttentionMask | None = None) -> Tensor:
        vector = x if self.pool is None else pool_tokens(x, attention_mask, self.pool)
        vector = vector if self.dense is None else self.dense(vector)
        vector = vector if self.norm is None else self.norm(vector)
        return self.labels(self.dropout(vector))
