"""A long text, read a piece at a time: queries and keys of every layer are kept, and hardly anything beside them.

A block reads the whole text before the next one begins (`TransformerBlock.in_pieces`). Its queries are copied to where
they stay, its keys stay in the cache that they were written into, and its values go with it.
"""

from dataclasses import replace

import torch
from torch import Tensor

from regard.attention import Dot, Pattern, Tap
from regard.looking.layer_names import LayerNames
from regard.looking.watch import attach_taps
from regard.models import Decoder, Model
from regard.shapes import Stream, Tokens

PIECE = 256  # tokens that a block reads at a time


class PieceWatcher(Tap):
    """Puts the queries of all pieces of a text side by side; the last piece has looked at all keys."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.rows: int = 0
        self.queries: Tensor | None = None
        self.statistics: tuple[Tensor, ...] | None = None
        self.pattern: Pattern | None = None

    def see(self, pattern: Pattern) -> None:
        assert isinstance(pattern.score, Dot)
        if self.queries is None:
            self.queries = self.room_for(pattern.query)
            self.statistics = tuple(map(self.room_for, pattern.statistics))
        assert self.statistics is not None
        rows = slice(self.rows, self.rows + pattern.shape[2])
        self.queries[:, :, rows] = pattern.query
        for all_rows, part in zip(self.statistics, pattern.statistics, strict=True):
            all_rows[:, :, rows] = part
        self.rows = rows.stop
        if self.rows == self.length:
            positions = torch.arange(self.length, device=pattern.query.device)[None]
            changes = {"query": self.queries, "row_statistics": self.statistics, "query_positions": positions}
            self.pattern = replace(pattern, value=None, **changes)

    def room_for(self, part: Tensor) -> Tensor:
        """For the whole text, in memory of its own: pieces would stand between what comes and goes."""
        return part.new_empty(*part.shape[:2], self.length, part.shape[3])


def reads_in_pieces(model: Model) -> bool:
    """Whether a model can read a long text in pieces: one that reads from left to right, compares queries and keys by
    their dot product, all of them that it may see, and has weights of its own in every layer."""
    if not isinstance(model, Decoder):
        return False
    side, attention = model.config.decoder, model.config.decoder.stack.attention
    return attention.score is attention.method is side.distances is side.stack.distinct is None


@torch.no_grad()
def watch_in_pieces(model: Decoder, tokens: Tokens) -> tuple[dict[str, Pattern], Stream]:
    """What every layer attends to in one text, (1, length) tokens, and the vectors of the text."""
    names = LayerNames(model)
    watchers = {name: PieceWatcher(tokens.shape[1]) for name in names.layers}
    with attach_taps({names.layers[name]: watcher for name, watcher in watchers.items()}):
        x = model.hidden(tokens, piece=PIECE)
    return {name: watcher.pattern for name, watcher in watchers.items() if watcher.pattern is not None}, x
