"""A vector for every position, learned like a word."""

from typing import Annotated

import torch
from torch import nn

from regard.config.ranges import COUNT, POSITIONS, WIDTH
from regard.errors import ShapeError, expect
from regard.positions.position import Position
from regard.shapes import Positions, Stream


class LearnedPositions(Position):
    """One learned vector per position, added to the words: Gehring et al. 2017; Devlin et al. 2019.

    The first token takes row `offset` of the table (RoBERTa and BART keep two rows for padding).
    """

    is_absolute = True

    table: nn.Embedding
    offset: int

    def __init__(
        self, length: Annotated[int, POSITIONS], width: Annotated[int, WIDTH], offset: Annotated[int, COUNT] = 0
    ) -> None:
        super().__init__()
        self.table = nn.Embedding(length + offset, width)
        self.offset = offset
        nn.init.normal_(self.table.weight, std=0.02)

    def embed(self, x: Stream, positions: Positions) -> Stream:
        expect("the stream", "numbers in each vector", x.shape[-1], self.table.embedding_dim)
        length = self.table.num_embeddings - self.offset
        if not torch.compiler.is_compiling() and positions.numel() and (last := int(positions.max())) >= length:
            raise ShapeError(f"position {last} is past the {length} positions that were learned")
        return x + self.table(positions + self.offset)
