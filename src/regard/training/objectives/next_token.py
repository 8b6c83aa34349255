"""The next token, at every position at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from regard.families.recipe import DataSizes
from regard.models import Decoder, Model, TransformerXL
from regard.training.objectives.objective import DeviceBatch, LossSums, ObjectiveExample, Row, SegmentMemory, pad_rows
from regard.training.optimisation.losses import output_loss


@dataclass(frozen=True, eq=False)
class TextBatch(DeviceBatch):
    """Texts, and the token that follows each token. `ends` are where in a long text they begin and end, if known, and
    `carried` is what was taken along from the batch before."""

    inputs: Tensor
    positions: Tensor | None
    answers: Tensor
    count: int
    tokens: int
    spans: Tensor | None = None  # (texts, 2)
    memory: SegmentMemory | None = None

    def with_memory(self, memory: SegmentMemory) -> "TextBatch":
        """The same, read after what another batch left behind."""
        return replace(self, memory=memory)

    @property
    def memory_states(self) -> Tensor | None:
        """What a model remembers of the texts before these, if each goes on where one of those ended."""
        if self.memory is None or self.spans is None:
            return None
        ends = self.memory["ends"][: len(self.spans)]
        return self.memory["states"][:, : len(ends)] if torch.equal(ends, self.spans[:, 0]) else None


class NextTokenObjective:
    """A language model learns from all positions of a text: Radford et al. 2019.

    One that remembers takes along what it read in the batch before, where texts go on from there: Dai et al. 2019.
    """

    name: ClassVar[str] = "next-token"
    kinds: ClassVar[tuple[str, ...]] = ("decoder", "xl")
    metrics: ClassVar[tuple[str, ...]] = ("loss", "perplexity")

    def __init__(self, *, pad: int = 0) -> None:
        self.pad = pad

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        rows = [(np.array(text),) for text in ([2, 3, 4, 5, 6], [6, 5, 4], [2, 4, 6, 8])]
        return ObjectiveExample(cls(), rows, DataSizes(vocabulary=10))

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> TextBatch:
        """Rows are (tokens,), one more than are read at a time; with (tokens, position) it is said where they begin."""
        tokens, attention_mask = pad_rows([row[0] for row in rows], self.pad)
        inputs, answers = tokens[:, :-1], tokens[:, 1:].flatten()
        positions = None if attention_mask is None else attention_mask[:, 1:].flatten().nonzero()[:, 0]
        answers = answers if positions is None else answers[positions]
        spans = None
        if len(rows[0]) > 1:
            spans = torch.tensor([[int(row[1][0]), int(row[1][0]) + len(row[0]) - 1] for row in rows])
        return TextBatch(inputs.contiguous(), positions, answers.contiguous(), len(answers), len(answers), spans)

    def loss(self, model: Model, batch: TextBatch, smoothing: float = 0.0) -> LossSums:
        assert isinstance(model, Decoder)
        assert model.output is not None
        next_memory: SegmentMemory | None = None
        if isinstance(model, TransformerXL) and model.config.memory and batch.spans is not None:
            x, states = model.read(batch.inputs, batch.memory_states)
            next_memory = {"states": states, "ends": batch.spans[:, 1]}
        else:
            x = model.hidden(batch.inputs)
        x = x.flatten(0, 1)
        x = x if batch.positions is None else x.index_select(0, batch.positions)
        return LossSums(*output_loss(model.output, x, batch.answers, smoothing=smoothing), memory=next_memory)
