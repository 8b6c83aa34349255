"""The tags of words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.families.recipe import DataSizes
from regard.models import Encoder, Model
from regard.training.objectives.objective import DeviceBatch, LossSums, ObjectiveExample, Row, pad_rows


@dataclass(frozen=True, eq=False)
class TaggedBatch(DeviceBatch):
    """Texts, and the tags that are wanted at some positions of all of them side by side."""

    inputs: Tensor
    attention_mask: Tensor | None
    positions: Tensor
    answers: Tensor
    count: int
    tokens: int


class TagObjective:
    """A tag for some words of a text, each from the vector of its first token: Devlin et al. 2019, 5.3."""

    name: ClassVar[str] = "tag"
    kinds: ClassVar[tuple[str, ...]] = ("encoder",)
    metrics: ClassVar[tuple[str, ...]] = ("loss", "perplexity", "accuracy")

    def __init__(self, *, pad: int = 0) -> None:
        self.pad = pad

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        """Every second word is tagged, with what comes before it."""
        texts = [[5, 6, 7, 8], [6, 5], [7, 5, 7]]
        rows = [
            (np.array(text), np.arange(1, len(text), 2), np.array([text[at - 1] % 3 for at in range(1, len(text), 2)]))
            for text in texts
        ]
        return ObjectiveExample(cls(), rows, DataSizes(vocabulary=10, labels=3, labels_tokens=True))

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> TaggedBatch:
        """Rows are (tokens, positions, tags)."""
        inputs, attention_mask = pad_rows([row[0] for row in rows], self.pad)
        width = inputs.shape[1]
        positions = np.concatenate([number * width + row[1] for number, row in enumerate(rows)])
        answers = np.concatenate([row[2] for row in rows])
        return TaggedBatch(
            inputs,
            attention_mask,
            torch.from_numpy(positions.astype(np.int64)),
            torch.from_numpy(answers.astype(np.int64)),
            len(answers),
            sum(len(row[0]) for row in rows),
        )

    def loss(self, model: Model, batch: TaggedBatch, smoothing: float = 0.0) -> LossSums:
        assert isinstance(model, Encoder)
        scores = model(batch.inputs, attention_mask=batch.attention_mask).flatten(0, 1).float()
        scores = scores.index_select(0, batch.positions)
        plain = F.cross_entropy(scores.detach(), batch.answers, reduction="sum")
        total = F.cross_entropy(scores, batch.answers, reduction="sum", label_smoothing=smoothing)
        return LossSums(total, plain, (scores.argmax(-1) == batch.answers).sum())
