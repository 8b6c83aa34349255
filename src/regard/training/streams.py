"""One long text, read in windows: for models that learn to go on, or to guess what was hidden."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from regard.text import ColumnTexts, DataError, PlainCorpus, Tokenizer, Windows, token_tables
from regard.training.materials import Say, TrainingData, one_file, special_id, split_valid
from regard.training.objectives import MaskedObjective, NextTokenObjective, Objective, Row
from regard.training.objectives.next_token import TextBatch
from regard.training.reading import RecipeError
from regard.training.recipe import Recipe
from regard.training.styles import DataSizes
from regard.training.vocabulary import tokenizer_of

Stretch = tuple[int, int]


class TokenStream:
    """A row of tokens; an example is a stretch of it, both ends included."""

    def __init__(self, tokens: np.ndarray) -> None:
        self.tokens = tokens

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, stretch: Stretch, /) -> Row:
        """Its tokens, and the place of the first."""
        return self.tokens[stretch[0] : stretch[1] + 1], np.array(stretch[:1])


class StreamSampler:
    """A way through a stream: the windows of every batch."""

    def __init__(self, windows: Windows) -> None:
        self.windows = windows

    def count(self, epoch: int) -> int:
        return len(self.windows)

    def rows(self, epoch: int, number: int) -> Sequence[Stretch]:
        here = slice(number * self.windows.rows, (number + 1) * self.windows.rows)
        starts, ends = (places[here].tolist() for places in self.windows.plan(epoch))
        return [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]


def next_token_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """A text that is gone on with."""
    tokenizer, learned, judged = read_streams(recipe, home, "stream")
    objective = NextTokenObjective(pad=tokenizer.specials.pad or 0)
    context = recipe.data.context or recipe.model.max_positions
    found = windowed_data(recipe, tokenizer, objective, learned, judged, context)
    if recipe.model.kind != "xl" or not recipe.model.memory_length:
        return found
    if recipe.data.windows != "carried":
        raise RecipeError(
            f"data.windows = {recipe.data.windows!r}: a model that remembers reads on, 'carried' expected, or "
            "model.memory_length = 0"
        )
    rows = recipe.train.batch_size or max(1, recipe.train.batch_tokens // context)
    return replace(found, valid_batches=continued_batches(judged, context, rows, objective) if len(judged) > 1 else ())


def continued_batches(tokens: np.ndarray, context: int, rows: int, objective: NextTokenObjective) -> list[TextBatch]:
    """A text in batches of so many rows, each row a part of it that goes on from one batch to the next."""
    stream, windows = TokenStream(tokens), Windows(tokens, context=context, rows=rows, order="carried")
    way, chance = StreamSampler(windows), torch.Generator()
    return [
        objective.batch([stream[stretch] for stretch in way.rows(0, number)], chance) for number in range(way.count(0))
    ]


def masked_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """A text with holes in it."""
    tokenizer, learned, judged = read_streams(recipe, home, "sentence")
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
    return windowed_data(recipe, tokenizer, objective, learned, judged, context, follows=train.next_sentence)


def windowed_data(
    recipe: Recipe,
    tokenizer: Tokenizer,
    objective: Objective,
    learned: np.ndarray,
    judged: np.ndarray,
    context: int,
    *,
    follows: bool = False,
) -> TrainingData:
    if context > recipe.model.max_positions:
        raise RecipeError(
            f"data.context = {context}: the model has places for model.max_positions = {recipe.model.max_positions}"
        )
    train = recipe.train
    rows = train.batch_size or max(1, train.batch_tokens // context)
    windows = Windows(learned, context=context, rows=rows, seed=train.seed, order=recipe.data.windows)
    valid: list[Row] = []
    if len(judged) > 1:
        starts = range(0, len(judged) - 1, context)
        valid = [(judged[start : start + context + 1],) for start in starts]
    wanted = DataSizes(len(tokenizer), next_sentence=follows)
    return TrainingData(tokenizer, objective, wanted, TokenStream(learned), StreamSampler(windows), valid)


def read_streams(recipe: Recipe, home: Path, frame: str) -> tuple[Tokenizer, np.ndarray, np.ndarray]:
    """The tokeniser, the text to learn from and the one to be judged by, which may be the end of the same file."""
    data = recipe.data
    corpus = PlainCorpus(one_file(data.train, "train"), ends=True)
    tokenizer = tokenizer_of(recipe, home, ColumnTexts(corpus, ("text",)), frame=frame)

    def read(corpus: PlainCorpus) -> np.ndarray:
        return token_tables(corpus, {"text": tokenizer}, home / "cache", bare=True)["text"].tokens

    learned = read(corpus)
    learned, judged = split_valid(learned, data)
    if data.valid:
        judged = read(PlainCorpus(one_file(data.valid, "valid"), ends=True))
    if len(learned) < 2:
        raise DataError(f"{corpus.path}: fewer than two tokens to learn from")
    return tokenizer, learned, judged


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
