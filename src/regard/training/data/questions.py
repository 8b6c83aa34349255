"""Stories with questions, as a memory network learns from them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch

from regard.families.recipe import DataSizes
from regard.text import DataError, Question, Stories
from regard.text.story_rows import StoryRow, story_rows
from regard.training.data.batch_source import mix_seeds
from regard.training.data.training_data import Say, TrainingData, special_id
from regard.training.data.vocabulary import tokenizer_of
from regard.training.objectives import AnswerObjective, Row
from regard.training.recipe.reading import RecipeError
from regard.training.recipe.recipe import Recipe, TrainRecipe

Key = tuple[int, bool]
"""The number of a question, and whether it is read without softmax."""


class QuestionSampler:
    """Every question once an epoch, in any company; the first epochs are a memory network's linear start."""

    def __init__(self, count: int, train: TrainRecipe) -> None:
        self.total = count
        self.size: int = train.batch_size or 32
        self.linear: int = train.linear_epochs
        self.order: Callable[[int], torch.Tensor] = lru_cache(2)(
            lambda epoch: torch.randperm(count, generator=torch.Generator().manual_seed(mix_seeds(train.seed, epoch)))
        )

    def count(self, epoch: int) -> int:
        return -(-self.total // self.size)

    def rows(self, epoch: int, number: int) -> Sequence[Key]:
        batch = self.order(epoch)[number * self.size : (number + 1) * self.size]
        return [(row, epoch < self.linear) for row in batch.tolist()]


class QuestionSource:
    """Questions to learn from, with noise among their memories."""

    def __init__(self, questions: Sequence[StoryRow]) -> None:
        self.questions = questions

    def __len__(self) -> int:
        return len(self.questions)

    def __getitem__(self, key: Key, /) -> Row:
        row, linear = key
        return (*self.questions[row], np.array([linear, True]))


def answer_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """Stories in the layout of bAbI, from files or archives: see Stories.at."""
    data = recipe.data
    if data.valid and data.valid_share:
        raise RecipeError("data.valid_share: there is a data.valid already")
    training, held_out = split_by_file(read_questions(data.train), data.valid_share)
    if data.valid:
        held_out = read_questions(data.valid)
    tokenizer = tokenizer_of(recipe, home, texts_of(training), frame="story")
    pad = special_id(tokenizer, "pad")
    if pad:
        raise RecipeError(f"tokenizer.kind: the pad token is number {pad}, and 0 expected")
    rows, valid = (story_rows(group, tokenizer, recipe.model.max_positions) for group in (training, held_out))
    return TrainingData(
        tokenizer,
        AnswerObjective(pad=pad, noise=recipe.train.noise),
        DataSizes(len(tokenizer), sentence_words=max((max(row[0].shape[1], len(row[1])) for row in rows), default=0)),
        QuestionSource(rows),
        QuestionSampler(len(rows), recipe.train),
        [(*row, np.array([False, False])) for row in valid],
    )


def read_questions(files: Sequence[str]) -> list[Question]:
    questions = [question for file in files for question in Stories.at(file)]
    if not questions:
        raise DataError("no file of stories")
    return questions


def split_by_file(questions: Sequence[Question], share: float) -> tuple[list[Question], list[Question]]:
    """Questions to learn from, and the last of every file, the valid set."""
    files: dict[str, list[Question]] = {}
    for question in questions:
        files.setdefault(question.where.rpartition(":")[0], []).append(question)
    cuts = [(group, len(group) - int(len(group) * share)) for group in files.values()]
    return [question for group, cut in cuts for question in group[:cut]], [
        question for group, cut in cuts for question in group[cut:]
    ]


def texts_of(questions: Iterable[Question]) -> Iterator[str]:
    """Everything that was told, asked and answered."""
    for question in questions:
        yield from (*question.story, question.question, question.answer)
