"""Words of two texts, each guessed from all others, so that two directions look at each other's words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from regard.families.recipe import DataSizes
from regard.models import MaskedAligner, Model
from regard.models.masked_aligner import AligningSide, Guess
from regard.training.objectives.objective import DeviceBatch, LossSums, ObjectiveExample, Row, pad_rows
from regard.training.optimisation.losses import output_loss

AGREEMENT = 5.0  # how much it counts that the two directions look differently
EVEN = 0.05  # added to every weight before its entropy is taken, so that a look at nothing is no certainty


@dataclass(frozen=True, eq=False)
class AlignmentBatch(DeviceBatch):
    """Two texts side by side, without the tokens that end them."""

    source: Tensor
    attention_mask: Tensor | None
    target: Tensor
    target_attention_mask: Tensor | None
    count: int
    tokens: int


class AlignmentObjective:
    """Each word is guessed from all others and from the translation, by two directions that learn to agree.

    Chen et al. 2021, 3: beside the words, the difference of their looks and the entropy of each look are losses.
    """

    name: ClassVar[str] = "align"
    kinds: ClassVar[tuple[str, ...]] = ("masked-aligner",)
    metrics: ClassVar[tuple[str, ...]] = ("loss", "perplexity")

    def __init__(self, *, pad: int) -> None:
        self.pad = pad

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        """The target is the source, backwards; token 1 ends both."""
        texts = [[5, 6, 7], [8, 9], [7, 5, 9, 6]]
        rows = [(np.array([*text, 1]), np.array([*text[::-1], 1])) for text in texts]
        return ObjectiveExample(cls(pad=0), rows, DataSizes(vocabulary=10))

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> AlignmentBatch:
        """Rows are (source, target), both with the token that ends them."""
        source, attention_mask = pad_rows([row[0][:-1] for row in rows], self.pad)
        target, target_attention_mask = pad_rows([row[1][:-1] for row in rows], self.pad)
        count = sum(len(part) - 1 for row in rows for part in row)
        return AlignmentBatch(source, attention_mask, target, target_attention_mask, count, count)

    def loss(self, model: Model, batch: AlignmentBatch, smoothing: float = 0.0) -> LossSums:
        assert isinstance(model, MaskedAligner)
        masks = batch.attention_mask, batch.target_attention_mask
        there, back = model(batch.source, batch.target, attention_mask=masks[0], target_attention_mask=masks[1])
        words = guessing_loss(model.there, there, batch.target, masks[1], smoothing)
        others = guessing_loss(model.back, back, batch.source, masks[0], smoothing)
        is_pair = pair_mask(there.weights, masks[1], masks[0])
        difference = (there.weights - back.weights.mT).square().mul(is_pair).sum()
        spread = entropy(there.weights, is_pair) + entropy(back.weights, is_pair.mT)
        return LossSums(words[0] + others[0] + AGREEMENT * difference + spread, words[1] + others[1])


def guessing_loss(
    side: AligningSide, guess: Guess, answers: Tensor, mask: Tensor | None, smoothing: float
) -> tuple[Tensor, Tensor]:
    """The cross-entropy of the words that are no padding, smoothed and plain."""
    is_word = torch.ones_like(answers, dtype=torch.bool) if mask is None else mask
    return output_loss(side.output, guess.x[is_word], answers[is_word], smoothing=smoothing)


def pair_mask(weights: Tensor, rows: Tensor | None, columns: Tensor | None) -> Tensor:
    """Which of the weights (batch, rows, columns) are of two words: 1, else 0."""
    is_pair = torch.ones_like(weights)
    is_pair = is_pair if rows is None else is_pair * rows[:, :, None]
    return is_pair if columns is None else is_pair * columns[:, None]


def entropy(weights: Tensor, is_pair: Tensor) -> Tensor:
    """How widely words look at the other text, added up over all words."""
    shares = (weights + EVEN) * is_pair
    shares = shares / shares.sum(-1, keepdim=True).clamp(min=EVEN)
    return -(shares * shares.clamp(min=1e-9).log()).sum()
