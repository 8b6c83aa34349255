"""The label of a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.models import Encoder, Model, Transformer
from regard.training.objectives.objective import Loss, Moves, Row, padded


@dataclass(frozen=True, eq=False)
class Labelled(Moves):
    inputs: Tensor
    real: Tensor | None
    answers: Tensor
    count: int
    tokens: int


class Classify:
    """One answer a text, from its first token, its last, or the mean of all."""

    name: ClassVar[str] = "classify"
    kinds: ClassVar[tuple[str, ...]] = ("encoder", "decoder")

    def __init__(self, *, pad: int = 0) -> None:
        self.pad = pad

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> Labelled:
        """Rows are (tokens, [label])."""
        inputs, real = padded([row[0] for row in rows], self.pad)
        answers = torch.from_numpy(np.array([int(row[1][0]) for row in rows]))
        return Labelled(inputs, real, answers, len(rows), sum(len(row[0]) for row in rows))

    def loss(self, model: Model, batch: Labelled, smoothing: float = 0.0) -> Loss:
        scores = self.scores(model, batch).float()
        plain = F.cross_entropy(scores.detach(), batch.answers, reduction="sum")
        total = F.cross_entropy(scores, batch.answers, reduction="sum", label_smoothing=smoothing)
        return Loss(total, plain, (scores.argmax(-1) == batch.answers).sum())

    def scores(self, model: Model, batch: Labelled) -> Tensor:
        assert not isinstance(model, Transformer)
        assert isinstance(model, Encoder) or model.classify is not None
        return model(batch.inputs, real=batch.real)
