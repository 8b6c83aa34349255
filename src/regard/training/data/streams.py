"""One long text, read in windows: for models that learn to go on, or to guess what was hidden."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from regard.families.recipe import DataSizes
from regard.text import ColumnTexts, DataError, PlainCorpus, Tokenizer, Windows, token_tables
from regard.text.cache import read_mapped
from regard.training.data.training_data import Say, TrainingData, one_file, special_id, split_valid
from regard.training.data.vocabulary import tokenizer_of
from regard.training.objectives import MaskedObjective, NextTokenObjective, Objective, Row
from regard.training.objectives.next_token import TextBatch
from regard.training.recipe.reading import RecipeError
from regard.training.recipe.recipe import Recipe

Stretch = tuple[int, int]


class TokenStream:
    """A row of tokens; an example is a stretch of it, both ends included."""

    def __init__(self, tokens: np.ndarray) -> None:
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, stretch: Stretch, /) -> Row:
        """Its tokens, and the position of the first."""
        return read_mapped(self.tokens, slice(stretch[0], stretch[1] + 1)), np.array(stretch[:1])


class StreamSampler:
    """A way through a stream: the windows of every batch."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows

    def count(self, epoch: int) -> int:
        return len(self.windows)

    def rows(self, epoch: int, number: int) -> Sequence[Stretch]:
        here = slice(number * self.windows.rows, (number + 1) * self.windows.rows)
        starts, ends = (bounds[here].tolist() for bounds in self.windows.plan(epoch))
        return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def next_token_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """A text that is gone on with."""
    tokenizer, training_tokens, valid_tokens = read_streams(recipe, home, "stream")
    objective = NextTokenObjective(pad=tokenizer.specials.pad or 0)
    context = recipe.data.context or recipe.model.max_positions
    data = windowed_data(recipe, tokenizer, objective, training_tokens, valid_tokens, context)
    if recipe.model.kind != "xl" or not recipe.model.memory_length:
        return data
    if recipe.data.windows != "carried":
        raise RecipeError(
            f"data.windows = {recipe.data.windows!r}: a model that remembers reads on, 'carried' expected, or "
            "model.memory_length = 0"
        )
    rows = recipe.train.batch_size or max(1, recipe.train.batch_tokens // context)
    return replace(
        data, valid_batches=continued_batches(valid_tokens, context, rows, objective) if len(valid_tokens) > 1 else ()
    )


def continued_batches(tokens: np.ndarray, context: int, rows: int, objective: NextTokenObjective) -> list[TextBatch]:
    """A text in batches of so many rows, each row a part of it that goes on from one batch to the next."""
    stream, windows = TokenStream(tokens), Windows(tokens, context=context, rows=rows, order="carried")
    sampler, chance = StreamSampler(windows), torch.Generator()
    return [
        objective.batch([stream[stretch] for stretch in sampler.rows(0, number)], chance)
        for number in range(sampler.count(0))
    ]


def masked_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """A text with holes in it."""
    tokenizer, training_tokens, valid_tokens = read_streams(recipe, home, "sentence")
    train = recipe.train
    objective = MaskedObjective(
        mask=special_id(tokenizer, "mask"),
        frame=(special_id(tokenizer, "cls"), special_id(tokenizer, "sep")),
        vocabulary=len(tokenizer),
        special=list(tokenizer.specials),
        share=train.mask_probability,
        pad=tokenizer.specials.pad or 0,
        continues_word=continues_word(tokenizer) if train.whole_word_masking else None,
        next_sentence=train.next_sentence,
    )
    around = 4 if train.next_sentence else 3  # what goes around a window, and the token that it has too many
    context = (recipe.data.context or recipe.model.max_positions) - around
    if context < 2:
        raise RecipeError(f"data.context: {context + around} tokens leave no room for a text")
    return windowed_data(
        recipe, tokenizer, objective, training_tokens, valid_tokens, context, next_sentence=train.next_sentence
    )


def windowed_data(
    recipe: Recipe,
    tokenizer: Tokenizer,
    objective: Objective,
    training_tokens: np.ndarray,
    valid_tokens: np.ndarray,
    context: int,
    *,
    next_sentence: bool = False,
) -> TrainingData:
    if context > recipe.model.max_positions:
        raise RecipeError(f"data.context = {context}: the model has model.max_positions = {recipe.model.max_positions}")
    train = recipe.train
    rows = train.batch_size or max(1, train.batch_tokens // context)
    windows = Windows(training_tokens, context=context, rows=rows, seed=train.seed, order=recipe.data.windows)
    valid: list[Row] = []
    if len(valid_tokens) > 1:
        starts = range(0, len(valid_tokens) - 1, context)
        valid = [(read_mapped(valid_tokens, slice(start, start + context + 1)),) for start in starts]
    sizes = DataSizes(len(tokenizer), next_sentence=next_sentence)
    return TrainingData(tokenizer, objective, sizes, TokenStream(training_tokens), StreamSampler(windows), valid)


def read_streams(recipe: Recipe, home: Path, frame: str) -> tuple[Tokenizer, np.ndarray, np.ndarray]:
    """The tokeniser, the text to learn from and the valid one, which may be the end of the same file."""
    data = recipe.data
    corpus = PlainCorpus(one_file(data.train, "train"), line_ends=True)
    tokenizer = tokenizer_of(recipe, home, ColumnTexts(corpus, ("text",)), frame=frame)

    def read(corpus: PlainCorpus) -> np.ndarray:
        return token_tables(corpus, {"text": tokenizer}, home / "cache", bare=True)["text"].tokens

    training_tokens = read(corpus)
    training_tokens, valid_tokens = split_valid(training_tokens, data)
    if data.valid:
        valid_tokens = read(PlainCorpus(one_file(data.valid, "valid"), line_ends=True))
    if len(training_tokens) < 2:
        raise DataError(f"{corpus.path}: fewer than two tokens to learn from")
    return tokenizer, training_tokens, valid_tokens


def continues_word(tokenizer: Tokenizer) -> torch.Tensor:
    """Of every token of the vocabulary, whether it goes on with a word."""
    names = [tokenizer.token(number) for number in range(len(tokenizer))]
    if any(name.startswith("##") for name in names):
        return torch.tensor([name.startswith("##") for name in names])
    space = next((mark for mark in ("Ġ", "▁") if any(name.startswith(mark) for name in names)), None)
    if space is None:
        raise RecipeError(
            "train.whole_word_masking: every token of this tokeniser is a word of its own, or words have no mark"
        )
    special = set(tokenizer.specials)
    return torch.tensor([not name.startswith(space) and number not in special for number, name in enumerate(names)])
