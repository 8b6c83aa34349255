"""The next token, at every place at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from regard.models import Decoder, Model
from regard.training.losses import word_loss
from regard.training.objectives.objective import Loss, Moves, Row, padded


@dataclass(frozen=True, eq=False)
class Texts(Moves):
    """Texts, and the token that follows each token."""

    inputs: Tensor
    places: Tensor | None
    answers: Tensor
    count: int
    tokens: int


class NextToken:
    """A language model learns from all places of a text: Radford et al. 2019."""

    name: ClassVar[str] = "next-token"
    kinds: ClassVar[tuple[str, ...]] = ("decoder",)

    def __init__(self, *, pad: int = 0) -> None:
        self.pad = pad

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> Texts:
        """Rows are (tokens,), one more than are read at a time."""
        tokens, real = padded([row[0] for row in rows], self.pad)
        inputs, answers = tokens[:, :-1], tokens[:, 1:].flatten()
        places = None if real is None else real[:, 1:].flatten().nonzero()[:, 0]
        answers = answers if places is None else answers[places]
        return Texts(inputs.contiguous(), places, answers.contiguous(), len(answers), len(answers))

    def loss(self, model: Model, batch: Texts, smoothing: float = 0.0) -> Loss:
        assert isinstance(model, Decoder)
        assert model.output is not None
        x = model.hidden(batch.inputs).flatten(0, 1)
        x = x if batch.places is None else x.index_select(0, batch.places)
        return Loss(*word_loss(model.output, x, batch.answers, smoothing=smoothing))
