"""What a recipe's data becomes: a tokeniser, examples to learn from, examples to evaluate on."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import numpy as np

from regard.families.recipe import DataSizes
from regard.text import (
    ColumnTexts,
    Corpus,
    DataError,
    LabelledCorpus,
    SwappedCorpus,
    Tokenizer,
    TokenTable,
    pairs,
    token_tables,
)
from regard.text.corpora import JoinedTexts, PrefixedCorpus
from regard.training.data.batch_source import BatchSampler, ExampleSource
from regard.training.data.samplers import BucketSampler, WeightedSampler
from regard.training.data.vocabulary import tokenizer_of
from regard.training.objectives import (
    AlignmentObjective,
    ClassificationObjective,
    Objective,
    Row,
    TranslationObjective,
)
from regard.training.objectives.objective import ExampleBatch
from regard.training.recipe.reading import RecipeError
from regard.training.recipe.recipe import DataRecipe, Recipe

Say = Callable[[str], None]


class TableExamples(Sequence[Row]):
    """Examples of several columns each, some rows of their tables; made when asked for."""

    def __init__(self, tables: Sequence[TokenTable], rows: np.ndarray) -> None:
        self.tables = tables
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Row:  # type: ignore[override]  # no slices: one example at a time
        row = int(self.rows[number])
        return tuple(table[row] for table in self.tables)

    def lengths(self, *, one_stream: bool = False) -> np.ndarray:
        """The tokens of each column, (examples, columns); `one_stream`: the first is read before the second."""
        lengths = np.stack([table.lengths[self.rows] for table in self.tables], 1)
        return np.stack([lengths.sum(1), lengths[:, 1]], 1) if one_stream else lengths


class JoinedExamples(Sequence[Row]):
    """Examples of several sources, one after another."""

    def __init__(self, parts: Sequence[Sequence[Row]]) -> None:
        self.parts = parts
        self.ends: list[int] = list(accumulate(map(len, parts)))

    def __len__(self) -> int:
        return self.ends[-1]

    def __getitem__(self, number: int) -> Row:  # type: ignore[override]  # no slices: one example at a time
        part = bisect_right(self.ends, number)
        return self.parts[part][number - (self.ends[part - 1] if part else 0)]


@dataclass(frozen=True)
class TrainingData:
    """All that an objective needs: examples, which of them are in a batch when, and the valid set.

    `valid_batches` is the valid set where each batch goes on from the one before it. `references` are the translations
    of the valid set. `start_token` is what a translation begins with.
    """

    tokenizer: Tokenizer
    objective: Objective
    sizes: DataSizes
    examples: ExampleSource
    sampler: BatchSampler
    valid: Sequence[Row] = ()
    valid_batches: Sequence[ExampleBatch] = ()
    labels: tuple[str, ...] = ()
    start_token: int | None = None
    references: Sequence[str] = field(default_factory=list)


def translation_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """Pairs of texts."""
    data = recipe.data
    corpus = pair_corpus(data.train, data, data.tag)
    more = [pair_corpus(table.train, data, table.tag) for table in data.also]
    sides = ("source", "target")
    separate = not recipe.tokenizer.joint

    def texts(columns: tuple[str, ...]) -> JoinedTexts:
        return JoinedTexts([ColumnTexts(part, columns) for part in (corpus, *more)])

    tokenizer = tokenizer_of(
        recipe,
        home,
        texts(sides[:1] if separate else sides),
        texts(sides[1:]) if separate else None,
        frame="translation",
    )
    coders = {"source": tokenizer, "target": tokenizer.target}

    def encoded(corpus: Corpus, what: str) -> tuple[list[TokenTable], np.ndarray]:
        tables = token_tables(corpus, coders, home / "cache")
        lengths = np.stack([tables[side].lengths for side in sides], 1)
        return [tables[side] for side in sides], usable_rows(lengths, data, corpus, say, what)

    tables, usable = encoded(corpus, "training")
    usable, held_out = split_valid(usable, data)
    valid, valid_corpus = TableExamples(tables, held_out), corpus
    if data.valid:
        valid_corpus = pair_corpus(data.valid, data, data.tag)
        valid = TableExamples(*encoded(valid_corpus, "valid"))
    valid_lines = set(valid.rows.tolist())
    references = [target for line, (_, target) in enumerate(valid_corpus) if line in valid_lines] if valid_lines else []
    if recipe.tokenizer.kind == "bpe-marked":
        references = [text.replace("@@ ", "") for text in references]
    if recipe.tokenizer.lowercase:  # no model can write capitals that it never saw
        references = [text.lower() for text in references]
    parts = [TableExamples(tables, usable), *(TableExamples(*encoded(part, "training")) for part in more)]
    pad = special_id(tokenizer, "pad")
    one_stream = recipe.model.kind == "decoder"
    lengths = [part.lengths(one_stream=one_stream) for part in parts]
    weights = [1.0, *(table.weight for table in data.also)]
    return TrainingData(
        tokenizer,
        AlignmentObjective(pad=pad)
        if recipe.train.objective == AlignmentObjective.name
        else TranslationObjective(start=pad, pad=pad, one_stream=one_stream),
        DataSizes(len(tokenizer), len(tokenizer.target) if separate else None),
        JoinedExamples(parts) if more else parts[0],
        WeightedSampler(lengths, weights, recipe.train) if more else BucketSampler(lengths[0], recipe.train),
        valid,
        start_token=pad,
        references=references,
    )


def pair_corpus(files: Sequence[str], data: DataRecipe, tag: str = "") -> Corpus:
    corpus = SwappedCorpus(pairs(files)) if data.swap else pairs(files)
    return PrefixedCorpus(corpus, tag) if tag else corpus


def classification_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """Texts with labels."""
    corpus = LabelledCorpus(one_file(recipe.data.train, "train"), recipe.data.label)
    frame = "sentence" if recipe.model.kind == "encoder" else "translation"
    tokenizer = tokenizer_of(recipe, home, ColumnTexts(corpus, ("text",)), frame=frame)
    labels = corpus.labels()
    coders = {"label": {label: number for number, label in enumerate(labels)}, "text": tokenizer}

    def encoded(corpus: LabelledCorpus, what: str) -> tuple[list[TokenTable], np.ndarray]:
        tables = token_tables(corpus, coders, home / "cache")
        usable = usable_rows(tables["text"].lengths[:, None], recipe.data, corpus, say, what)
        return [tables["text"], tables["label"]], usable

    tables, usable = encoded(corpus, "training")
    usable, held_out = split_valid(usable, recipe.data)
    valid = TableExamples(tables, held_out)
    if recipe.data.valid:
        valid = TableExamples(
            *encoded(LabelledCorpus(one_file(recipe.data.valid, "valid"), recipe.data.label), "valid")
        )
    sizes = DataSizes(len(tokenizer), labels=len(labels))
    objective = ClassificationObjective(pad=tokenizer.specials.pad or 0)
    order = BucketSampler(tables[0].lengths[usable, None], recipe.train)
    return TrainingData(tokenizer, objective, sizes, TableExamples(tables, usable), order, valid, labels=labels)


def usable_rows(lengths: np.ndarray, data: DataRecipe, corpus: Corpus, say: Say, what: str) -> np.ndarray:
    """The rows that can be learned from; others are an error, or left out and counted, as the recipe says."""
    empty = (lengths <= 1).any(1)
    too_long = (lengths > data.max_length).any(1)
    faults = {"is empty": empty, f"has more than data.max_length = {data.max_length} tokens": too_long}
    for fault, rows in faults.items():
        if not rows.any():
            continue
        first, count = int(rows.argmax()), int(rows.sum())
        message = f"{corpus.location(first)}: {'the first of ' if count > 1 else ''}{count} {what} text(s) that {fault}"
        if data.faulty == "stop":
            raise DataError(f'{message}; data.faulty = "leave-out" trains without')
        say(f"{message}: left out")
    return np.flatnonzero(~(empty | too_long))


def split_valid(usable: np.ndarray, data: DataRecipe) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from, and the last of them, the valid set: the share that the recipe says."""
    if data.valid and data.valid_share:
        raise RecipeError("data.valid_share: there is a data.valid already")
    cut = int(len(usable) * (1 - data.valid_share))
    return usable[:cut], usable[cut:]


def one_file(files: Sequence[str], what: str) -> Path:
    if len(files) != 1:
        raise RecipeError(f"data.{what}: one file expected, got {len(files)}")
    return Path(files[0])


def special_id(tokenizer: Tokenizer, kind: str) -> int:
    number = getattr(tokenizer.specials, kind)
    if number is None:
        raise RecipeError(f"tokenizer.kind: this tokeniser has no {kind} token, which the objective needs")
    return number
