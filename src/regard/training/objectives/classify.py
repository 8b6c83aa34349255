"""The label of a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.families.recipe import DataSizes
from regard.models import Encoder, Model, Transformer
from regard.training.objectives.objective import DeviceBatch, LossSums, ObjectiveExample, Row, pad_rows


@dataclass(frozen=True, eq=False)
class LabelledBatch(DeviceBatch):
    inputs: Tensor
    attention_mask: Tensor | None
    answers: Tensor
    count: int
    tokens: int


class ClassificationObjective:
    """One answer a text, from its first token, its last, or the mean of all."""

    name: ClassVar[str] = "classify"
    kinds: ClassVar[tuple[str, ...]] = ("encoder", "decoder")
    metrics: ClassVar[tuple[str, ...]] = ("loss", "perplexity", "accuracy")

    def __init__(self, *, pad: int = 0) -> None:
        self.pad = pad

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        """The label is told by the first word."""
        rows = [
            (np.array([2 + label, *text]), np.array([label])) for label, text in enumerate(([5, 6], [7], [5, 7, 8]))
        ]
        return ObjectiveExample(cls(), rows, DataSizes(vocabulary=10, labels=3))

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> LabelledBatch:
        """Rows are (tokens, [label])."""
        inputs, attention_mask = pad_rows([row[0] for row in rows], self.pad)
        answers = torch.from_numpy(np.array([int(row[1][0]) for row in rows]))
        return LabelledBatch(inputs, attention_mask, answers, len(rows), sum(len(row[0]) for row in rows))

    def loss(self, model: Model, batch: LabelledBatch, smoothing: float = 0.0) -> LossSums:
        scores = self.scores(model, batch).float()
        plain = F.cross_entropy(scores.detach(), batch.answers, reduction="sum")
        total = F.cross_entropy(scores, batch.answers, reduction="sum", label_smoothing=smoothing)
        return LossSums(total, plain, (scores.argmax(-1) == batch.answers).sum())

    def scores(self, model: Model, batch: LabelledBatch) -> Tensor:
        assert not isinstance(model, Transformer)
        assert isinstance(model, Encoder) or model.classify is not None
        return model(batch.inputs, attention_mask=batch.attention_mask)
