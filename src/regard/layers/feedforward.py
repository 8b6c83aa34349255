"""What is done to each vector alone."""

from collections.abc import Callable
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.errors import lookup
from regard.layers.dropout import Dropout
from regard.layers.linear import Linear
from regard.shapes import Stream

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu-tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
    "tanh": torch.tanh,
}


class FeedForward(nn.Module):
    """Widen, bend, narrow: each inner unit is a key that a vector may match and a value that it then adds.

    Gated, the bent half is multiplied with a straight one: Shazeer 2020.
    """

    activation: Callable[[Tensor], Tensor]
    gated: bool
    widen: Linear
    narrow: Linear
    dropout: Dropout

    def __init__(
        self,
        width: int,
        feed_forward_width: int,
        activation: str = "relu",
        *,
        gated: bool = False,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.activation = lookup(ACTIVATIONS, activation, "activation")
        self.gated = gated
        self.widen = Linear(width, 2 * feed_forward_width if gated else feed_forward_width, bias=bias)
        self.narrow = Linear(feed_forward_width, width, bias=bias)
        self.dropout = Dropout(dropout)

    def forward(self, x: Stream) -> Stream:
        if self.gated:
            bent, straight = self.widen(x).chunk(2, -1)
            inner = self.activation(bent) * straight
        else:
            inner = self.activation(self.widen(x))
        return self.narrow(self.dropout(inner))
