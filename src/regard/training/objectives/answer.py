"""The answer to a question about a story."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from regard.attention.normalisers import Unnormalised
from regard.families.recipe import DataSizes
from regard.models import MemoryNetwork, Model
from regard.models.memory import Ages
from regard.text.story_batch import StoryBatch
from regard.training.objectives.objective import DeviceBatch, LossSums, ObjectiveExample, Row


@dataclass(frozen=True, eq=False)
class AnswerBatch(DeviceBatch):
    story: Tensor
    question: Tensor
    ages: Tensor | None
    answers: Tensor
    is_linear: bool
    count: int
    tokens: int


class AnswerObjective:
    """One word an answer: Sukhbaatar et al. 2015, 4.

    `noise` is the share of memories that may be empty, so that what is learned about time holds for longer stories.
    """

    name: ClassVar[str] = "answer"
    kinds: ClassVar[tuple[str, ...]] = ("memory",)
    metrics: ClassVar[tuple[str, ...]] = ("loss", "perplexity", "accuracy")

    def __init__(self, *, pad: int = 0, noise: float = 0.0) -> None:
        self.pad = pad
        self.noise = noise

    @classmethod
    def example(cls, kind: str) -> ObjectiveExample:
        """Stories of two and three sentences; the answer is the last word of the last one."""
        stories = [[[2, 5], [3, 6]], [[3, 7], [2, 6], [3, 5]]]
        rows = [
            (np.array(story), np.array([4, 3]), np.array([story[-1][-1]]), np.array([False, False]))
            for story in stories
        ]
        return ObjectiveExample(cls(), rows, DataSizes(vocabulary=8, sentence_words=2))

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> AnswerBatch:
        """Rows are (story, question, [answer], [whether hops have no softmax, whether there may be noise])."""
        stories = StoryBatch.of([(story, question, answer) for story, question, answer, _ in rows], self.pad)
        linear, is_noisy = map(bool, rows[0][3])
        ages = noisy_ages(stories.counts, stories.story.shape[1], self.noise, generator) if is_noisy else None
        tokens = int((stories.story != self.pad).sum())
        return AnswerBatch(stories.story, stories.question, ages, stories.answer, linear, len(rows), tokens)

    def loss(self, model: Model, batch: AnswerBatch, smoothing: float = 0.0) -> LossSums:
        assert isinstance(model, MemoryNetwork)
        scores = model(
            batch.story, batch.question, ages=batch.ages, normaliser=Unnormalised() if batch.is_linear else None
        )[:, 0].float()
        plain = F.cross_entropy(scores.detach(), batch.answers, reduction="sum")
        total = F.cross_entropy(scores, batch.answers, reduction="sum", label_smoothing=smoothing)
        return LossSums(total, plain, (scores.argmax(-1) == batch.answers).sum())


def noisy_ages(counts: Int[Tensor, "batch"], memories: int, share: float, generator: torch.Generator) -> Ages:
    """How long ago each sentence was told, had up to this share of empty ones been told in between."""
    max_empty = torch.ceil(counts * share).long()
    empty = (torch.rand(len(counts), generator=generator) * (max_empty + 1)).long()
    slots = memories + int(max_empty.max())
    order_keys = torch.rand(len(counts), slots, generator=generator)
    order_keys = order_keys.masked_fill(torch.arange(slots) >= (counts + empty)[:, None], 2.0)
    rank = order_keys.argsort(-1).argsort(-1)
    is_sentence = (rank >= empty[:, None]) & (
        order_keys < 2
    )  # as many in each row as it has sentences; an index is an age
    row, age = is_sentence.nonzero(as_tuple=True)
    younger = is_sentence.cumsum(-1)[row, age] - 1
    ages = torch.zeros(len(counts), memories, dtype=torch.long)
    ages[row, counts[row] - 1 - younger] = age
    return ages
