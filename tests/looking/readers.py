"""Small models to look at."""

from functools import partial

import torch
from torch import nn

from regard.attention import Causal, Padding
from regard.layers import FeedForward, MultiHead, Stack, TransformerBlock

WIDTH, HEADS = 8, 2


def block(across: bool = False, dropout: float = 0.0) -> TransformerBlock:
    return TransformerBlock(
        MultiHead(WIDTH, HEADS, dropout=dropout),
        FeedForward(WIDTH, 12),
        partial(nn.LayerNorm, WIDTH),
        cross=MultiHead(WIDTH, HEADS, source_width=WIDTH) if across else None,
    )


class Reader(nn.Module):
    """An encoder of two blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Stack([block(), block()])

    def forward(self, x, mask=None):
        return self.encoder(x, mask=mask)


class Translator(nn.Module):
    """An encoder and a decoder that looks at it."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Stack([block(), block()])
        self.decoder = Stack([block(across=True), block(across=True)])

    def forward(self, source, target, attention_mask=None):
        mask = None if attention_mask is None else Padding(attention_mask)
        return self.decoder(target, self.encoder(source, mask=mask), mask=Causal(), source_mask=mask)


def stream(batch: int = 2, length: int = 5) -> torch.Tensor:
    return torch.randn(batch, length, WIDTH)


def dense(layer: MultiHead, x: torch.Tensor, allowed: torch.Tensor | None = None) -> torch.Tensor:
    """The weights of a layer from the formula."""
    query, key, _ = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in layer.qkv(x).chunk(3, -1))
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    return torch.softmax(scores if allowed is None else scores.masked_fill(~allowed, -torch.inf), -1)
