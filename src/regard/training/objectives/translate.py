"""The words of a translation, each from the source and from those before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from regard.families.recipe import DataSizes
from regard.models import Aligner, Decoder, Model, Transformer
from regard.training.objectives.objective import DeviceBatch, LossSums, ObjectiveExample, Row, pad_rows
from regard.training.optimisation.losses import output_loss


@dataclass(frozen=True, eq=False)
class TranslationBatch(DeviceBatch):
    """Sources and what is written about them: `target` goes in, `answers` should come out at `positions`."""

    source: Tensor | None
    attention_mask: Tensor | None
    target: Tensor
    positions: Tensor | None  # None: all of them
    answers: Tensor
    count: int
    tokens: int


class TranslationObjective:
    """Teacher forcing: all words of the target at once, each told the ones before it: Sutskever et al. 2014.

    A model of one stream reads source and target one after the other, and learns from the target.
    """

    name: ClassVar[str] = "translate"
    kinds: ClassVar[tuple[str, ...]] = ("transformer", "decoder", "alignment")
    metrics: ClassVar[tuple[str, ...]] = ("loss", "perplexity", "bleu", "chrf", "exact")

    def __init__(self, *, start: int, pad: int, one_stream: bool = False) -> None:
        self.start = start
        self.pad = pad
        self.one_stream = one_stream

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        """The target is the source, backwards; token 1 ends both."""
        texts = [[5, 6, 7], [8, 9], [7, 5, 9, 6]]
        rows = [(np.array([*text, 1]), np.array([*text[::-1], 1])) for text in texts]
        return ObjectiveExample(cls(start=0, pad=0, one_stream=kind == "decoder"), rows, DataSizes(vocabulary=10))

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> TranslationBatch:
        """Rows are (source, target), both with the token that ends them."""
        decoder_inputs = [np.concatenate([[self.start], target[:-1]]) for _, target in rows]
        if self.one_stream:
            decoder_inputs = [
                np.concatenate([row[0], target]) for row, target in zip(rows, decoder_inputs, strict=True)
            ]
        source, attention_mask = (None, None) if self.one_stream else pad_rows([row[0] for row in rows], self.pad)
        target, _ = pad_rows(decoder_inputs, self.pad)
        answers = np.concatenate([row[1] for row in rows]).astype(np.int64)
        width = target.shape[1]
        positions = np.concatenate(
            [
                np.arange(number * width + len(line) - len(row[1]), number * width + len(line))
                for number, (row, line) in enumerate(zip(rows, decoder_inputs, strict=True))
            ]
        )
        everywhere = len(positions) == target.numel()
        tokens = sum(len(part) for row in rows for part in row)
        return TranslationBatch(
            source,
            attention_mask,
            target,
            None if everywhere else torch.from_numpy(positions),
            torch.from_numpy(answers),
            len(answers),
            tokens,
        )

    def loss(self, model: Model, batch: TranslationBatch, smoothing: float = 0.0) -> LossSums:
        # Padding stands behind the text, where no word looks: the target needs no mask of its own.
        if isinstance(model, Transformer | Aligner) and batch.source is not None:
            x = model.hidden(batch.source, batch.target, attention_mask=batch.attention_mask)
        else:
            assert isinstance(model, Decoder)
            x = model.hidden(batch.target)
        assert model.output is not None
        x = x.flatten(0, 1)
        x = x if batch.positions is None else x.index_select(0, batch.positions)
        return LossSums(*output_loss(model.output, x, batch.answers, smoothing=smoothing))
