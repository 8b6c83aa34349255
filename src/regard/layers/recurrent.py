"""Vectors read one after the other."""

from typing import TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from regard.errors import lookup

CELLS: dict[str, type[nn.GRU] | type[nn.LSTM]] = {"gru": nn.GRU, "lstm": nn.LSTM}
"""Cho et al. 2014; Hochreiter and Schmidhuber 1997. Both are torch's own: all steps in one call."""

RecurrentState = tuple[Float[Tensor, "_ batch remembered"], ...]
"""What is remembered of all that was read: one tensor of a GRU, two of an LSTM (what it shows, what it keeps)."""

Steps = TypeVar("Steps", Tensor, PackedSequence)
"""A batch of sequences, with padding or without."""


class Recurrent(nn.Module):
    """Reads a sequence and remembers it. With `both_ways` a second memory reads from the end: annotations of each
    position that know what came before it and what follows.
    """

    cells: nn.GRU | nn.LSTM

    def __init__(
        self,
        cell: str,
        inputs: int,
        width: int,
        *,
        layers: int = 1,
        both_ways: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.cells = lookup(CELLS, cell, "cell")(
            inputs,
            width,
            num_layers=layers,
            batch_first=True,
            bidirectional=both_ways,
            dropout=dropout if layers > 1 else 0.0,
        )

    def forward(
        self,
        x: Float[Tensor, "batch length inputs"],
        memory: RecurrentState | None = None,
        attention_mask: Bool[Tensor, "batch length"] | None = None,
    ) -> tuple[Float[Tensor, "batch length annotated"], RecurrentState]:
        """What the last layer shows at each position, and what is remembered after the last token.

        Padding may stand anywhere: it is not read.
        """
        if torch.is_autocast_enabled(x.device.type):  # the cells know no autocast
            with torch.autocast(x.device.type, enabled=False):
                return self(x.float(), memory and tuple(part.float() for part in memory), attention_mask)
        if attention_mask is None or bool(attention_mask.all()):
            return self.run(x, memory)
        before = self.initial_state(len(x)) if memory is None else memory
        if x.shape[1] == 1:
            shown, after = self.run(x, before)
        else:
            shown, after = self.run_packed(x, before, attention_mask)
        reads = attention_mask.any(1)[:, None]
        return shown, tuple(torch.where(reads, new, old) for new, old in zip(after, before, strict=True))

    def run_packed(self, x: Tensor, memory: RecurrentState, attention_mask: Tensor) -> tuple[Tensor, RecurrentState]:
        """The same with all padding moved to the end, where torch leaves it out, and back again."""
        lengths = attention_mask.sum(1)
        order = None
        if not torch.equal(attention_mask, torch.arange(x.shape[1], device=x.device) < lengths[:, None]):
            order = attention_mask.int().argsort(dim=1, descending=True, stable=True)
            x = torch.take_along_dim(x, order[..., None], 1)
        tight = pack_padded_sequence(x, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False)
        packed, after = self.run(tight, memory)
        shown, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])
        return shown if order is None else torch.take_along_dim(shown, order.argsort(1)[..., None], 1), after

    def run(self, x: Steps, memory: RecurrentState | None) -> tuple[Steps, RecurrentState]:
        """torch's call, with the memory as a tuple whatever the cell."""
        if isinstance(self.cells, nn.LSTM):
            return self.cells(x, memory)
        shown, after = self.cells(x, None if memory is None else memory[0])
        return shown, (after,)

    def initial_state(self, batch: int) -> RecurrentState:
        """The memory of one who has read nothing."""
        cells = self.cells
        size = (cells.num_layers * (1 + cells.bidirectional), batch, cells.hidden_size)
        zeros = next(cells.parameters()).new_zeros(size)
        return (zeros, zeros) if isinstance(cells, nn.LSTM) else (zeros,)
