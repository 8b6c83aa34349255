"""Stories as numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from regard.text.lines import DataError
from regard.text.stories import Question
from regard.text.tokenizer import Tokenizer

StoryRow = tuple[np.ndarray, np.ndarray, np.ndarray]
"""A question as numbers: the story, (sentences, words), oldest first; the question's words; the answer's one."""


def encode_story(
    story: Sequence[str], question: str, tokenizer: Tokenizer, memories: int = 0
) -> tuple[np.ndarray, ...]:
    """A story, the last `memories` sentences of it (0: all), and a question about it."""
    pad = tokenizer.specials.pad or 0
    lines = [tokenizer.encode(sentence, bare=True).ids for sentence in story[-memories:]]
    return pad_lines([line for line in lines if line], pad), np.array(tokenizer.encode(question, bare=True).ids)


def story_rows(questions: Iterable[Question], tokenizer: Tokenizer, memories: int = 0) -> list[StoryRow]:
    """Questions with their answers, each of which is one word to the model, as "n,s" and "milk,apple" are."""
    rows = []
    for item in questions:
        story, question = encode_story(item.story, item.question, tokenizer, memories)
        answer = tokenizer.encode(item.answer, bare=True).ids
        if len(answer) != 1:
            raise DataError(f"{item.where}: an answer of one word expected, got {item.answer!r}")
        rows.append((story, question, np.array(answer)))
    return rows


def pad_lines(lines: Sequence[Sequence[int]], pad: int) -> np.ndarray:
    """Lines of several lengths as one table."""
    table = np.full((len(lines), max(map(len, lines), default=1)), pad, dtype=np.int64)
    for number, line in enumerate(lines):
        table[number, : len(line)] = line
    return table


@dataclass(frozen=True, eq=False)
class StoryBatch:
    """Stories and questions side by side, padded behind."""

    story: Int[Tensor, "batch memories words"]
    question: Int[Tensor, "batch question_words"]
    answer: Int[Tensor, "batch"]
    pad: int = 0

    @classmethod
    def of(cls, rows: Sequence[StoryRow], pad: int = 0) -> "StoryBatch":
        memories_in_batch, longest = (max(row[0].shape[axis] for row in rows) for axis in (0, 1))
        story = np.full((len(rows), memories_in_batch, longest), pad, dtype=np.int64)
        for number, (lines, _, _) in enumerate(rows):
            story[number, : lines.shape[0], : lines.shape[1]] = lines
        question = pad_lines([row[1].tolist() for row in rows], pad)
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
