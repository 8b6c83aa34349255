"""Stories as numbers, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from regard.text.story_rows import StoryRow, pad_stories


@dataclass(frozen=True, eq=False)
class StoryBatch:
    """Stories and questions side by side, padded behind."""

    story: Int[Tensor, "batch memories words"]
    question: Int[Tensor, "batch question_words"]
    answer: Int[Tensor, "batch"]
    pad: int = 0

    @classmethod
    def of(cls, rows: Sequence[StoryRow], pad: int = 0) -> "StoryBatch":
        story, question = pad_stories(rows, pad)
        answer = np.concatenate([row[2] for row in rows])
        return cls(torch.from_numpy(story), torch.from_numpy(question), torch.from_numpy(answer), pad)

    def __len__(self) -> int:
        return len(self.story)

    @cached_property
    def counts(self) -> Int[Tensor, "batch"]:
        """The sentences of every story."""
        return (self.story != self.pad).any(-1).sum(-1)

    def take(self, which: Tensor | slice) -> "StoryBatch":
        """Some of them, without the padding that they do not need."""
        story, question = self.story[which], self.question[which]
        story = story[:, : max(int(self.counts[which].max()), 1)]
        words, question_words = ((part != self.pad).sum(-1).max() for part in (story, question))
        return StoryBatch(
            story[:, :, : max(int(words), 1)], question[:, : int(question_words)], self.answer[which], self.pad
        )
