"""Stories as numbers, one by one."""

from collections.abc import Iterable, Sequence

import numpy as np

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


def pad_stories(rows: Sequence[StoryRow], pad: int) -> tuple[np.ndarray, np.ndarray]:
    """Stories, (batch, sentences, words), and questions, (batch, words), side by side."""
    sentences, words = (max(row[0].shape[axis] for row in rows) for axis in (0, 1))
    stories = np.full((len(rows), sentences, words), pad, dtype=np.int64)
    for number, (lines, _, _) in enumerate(rows):
        stories[number, : lines.shape[0], : lines.shape[1]] = lines
    return stories, pad_lines([row[1].tolist() for row in rows], pad)


def pad_lines(lines: Sequence[Sequence[int]], pad: int) -> np.ndarray:
    """Lines of several lengths as one table."""
    table = np.full((len(lines), max(map(len, lines), default=1)), pad, dtype=np.int64)
    for number, line in enumerate(lines):
        table[number, : len(line)] = line
    return table
