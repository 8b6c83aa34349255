"""Tokens become vectors."""

import torch
from jaxtyping import Int
from torch import Tensor, nn

from regard.layers.dropout import Dropout
from regard.layers.linear import Linear
from regard.positions import Position
from regard.shapes import Positions, Stream, Tokens


class Embedding(nn.Module):
    """A vector for every token: of the word, of its segment, of its position; then a norm if there is one.

    With `embedding_width`, words have a narrower table of their own and are widened at the end: Lan et al. 2020.
    """

    table: nn.Embedding
    segments: nn.Embedding | None
    norm: nn.Module | None
    scale: float
    dropout: Dropout
    widen: Linear | None

    def __init__(
        self,
        vocabulary: int,
        width: int,
        *,
        embedding_width: int | None = None,
        segments: int = 0,
        norm: nn.Module | None = None,
        scale: float = 1.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        own = width if embedding_width is None else embedding_width
        self.table = nn.Embedding(vocabulary, own)
        self.segments = nn.Embedding(segments, own) if segments else None
        self.norm = norm
        self.scale = scale
        self.dropout = Dropout(dropout)
        self.widen = None if embedding_width is None else Linear(embedding_width, width)

    def forward(
        self,
        tokens: Tokens,
        position: Position,
        positions: Positions,
        segments: Int[Tensor, "batch length"] | None = None,
    ) -> Stream:
        x = self.table(tokens)
        x = x if self.scale == 1 else x * self.scale
        if self.segments is not None:
            x = x + self.segments(torch.zeros_like(tokens) if segments is None else segments)
        x = position.embed(x, positions)
        x = self.dropout(x if self.norm is None else self.norm(x))
        return x if self.widen is None else self.widen(x)
