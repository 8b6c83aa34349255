"""Text for a model as it learned from text: what its heads are judged by, and what it may learn from again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from regard.errors import RegardError
from regard.looking import EvaluationSet
from regard.tasks.classify import ClassifyTask
from regard.tasks.evaluation.classifiers import LABEL
from regard.tasks.evaluation.measures import EvaluationConfig, samples
from regard.tasks.evaluation.measuring import kind_of
from regard.tasks.evaluation.readers import masking_objective, read, window
from regard.tasks.evaluation.translators import TranslationReader, translate_task
from regard.tasks.fill import FillTask
from regard.tasks.generate import GenerateTask
from regard.tasks.processors.processor import TextTooLong
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.text import Corpus, DataError
from regard.training import objectives
from regard.training.data.batch_source import mix_seeds
from regard.training.objectives import Objective, Row
from regard.training.objectives.objective import ExampleBatch

ROOM = 2048  # tokens that are read at a time


@dataclass(frozen=True)
class Subset:
    """Some samples of a corpus, by number."""

    corpus: Corpus
    numbers: tuple[int, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        return self.corpus.files

    @property
    def columns(self) -> tuple[str, ...]:
        return self.corpus.columns

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        wanted = {*self.numbers}
        return (sample for number, sample in enumerate(self.corpus) if number in wanted)

    def location(self, sample: int) -> str:
        return self.corpus.location(self.numbers[sample])

    def first(self, count: int) -> "Subset":
        return Subset(self.corpus, self.numbers[:count])


def first(corpus: Corpus, limit: int | None = None) -> Subset:
    """The first so many samples; all of them unless said."""
    return Subset(corpus, tuple(number for number, _ in enumerate(islice(corpus, limit))))


def held_out(corpus: Subset, every: int = 10) -> tuple[Subset, Subset]:
    """All samples but every tenth, and those."""
    out = corpus.numbers[every - 1 :: every]
    if not out:
        where = corpus.location(0) if corpus.numbers else corpus.files[0]
        raise DataError(f"{where}: fewer than {every} samples, of which none can be held out to measure by")
    return Subset(corpus.corpus, tuple(sorted({*corpus.numbers} - {*out}))), Subset(corpus.corpus, out)


@dataclass(frozen=True)
class HeadData:
    """Examples as token numbers, and what is learned from them.

    `closing` names the layers where the last key is the token that ends a text.
    """

    objective: Objective
    rows: Sequence[Row]
    eos_layers: tuple[str, ...] = ()

    def evaluation_set(self, seed: int = 1, room: int = ROOM) -> EvaluationSet:
        """All of it, in batches of examples of one length: without padding no head sees any."""
        groups: dict[tuple[int, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(tuple(map(len, row)), []).append(row)
        batches: list[ExampleBatch] = []
        for lengths, rows in sorted(groups.items()):
            count = max(1, room // max(1, sum(lengths)))
            for start in range(0, len(rows), count):
                generator = torch.Generator().manual_seed(mix_seeds(seed, len(batches)))
                batches.append(self.objective.batch(rows[start : start + count], generator))
        return EvaluationSet.of(self.objective, [batch for batch in batches if batch.count])


def head_data(task: Task, corpus: Corpus, config: EvaluationConfig = EvaluationConfig()) -> HeadData:
    """What a model of this task learned from, of these texts; the same that `evaluate` measures by."""
    kind = kind_of(task, corpus.columns)
    if kind not in READERS:
        raise RegardError(f"{task.checkpoint.folder}: a model that can {kind} has no heads to be told apart")
    return READERS[kind](task, corpus, config)


def translations(task: TranslateTask | GenerateTask, corpus: Corpus, config: EvaluationConfig) -> HeadData:
    reader = TranslationReader(translate_task(task), config)
    rows = [reader.row(source, target, corpus.location(n)) for n, (source, target) in enumerate(samples(corpus))]
    closes = ends_with(rows, task.tokenizer.specials.eos) and not reader.objective.one_stream
    return HeadData(reader.objective, rows, ("encoder.*", "*.cross", "align") if closes else ())


def texts(task: GenerateTask, corpus: Corpus, config: EvaluationConfig) -> HeadData:
    """Windows of text; a model that remembers is asked about each alone."""
    _, tokens = read(corpus, task.tokenizer)
    size = window(task, config)
    rows: list[Row] = [(tokens[start : start + size + 1],) for start in range(0, len(tokens) - 1, size)]
    return HeadData(objectives.NextTokenObjective(pad=task.tokenizer.specials.pad or 0), rows)


def hidden_words(task: FillTask, corpus: Corpus, config: EvaluationConfig) -> HeadData:
    _, tokens = read(corpus, task.tokenizer)
    size = window(task, config) - 2
    if size < 1:
        raise RegardError(f"a window of {size + 2} tokens has no room for words")
    rows: list[Row] = [(tokens[start : start + size],) for start in range(0, len(tokens), size)]
    return HeadData(masking_objective(task), rows, ("encoder.*",))


def labels(task: ClassifyTask, corpus: Corpus, config: EvaluationConfig) -> HeadData:
    processor = task.processor
    is_single = not processor.for_tokens and not processor.is_multiple and len(processor.labels) > 1
    if not is_single or corpus.columns != (LABEL, "text"):
        raise RegardError(f"{task.checkpoint.folder}: one label out of several for each text expected")
    rows: list[Row] = []
    for number, (label, text) in enumerate(samples(corpus)):
        if label not in processor.labels:
            raise DataError(f"{corpus.location(number)}: a label that the model does not know: {label!r}")
        try:
            ids = processor.encode(text, cut=config.cut).ids
        except TextTooLong as problem:
            raise DataError(f"{corpus.location(number)}: {problem}") from None
        rows.append((np.array(ids), np.array([processor.labels.index(label)])))
    specials = task.tokenizer.specials
    ends = ends_with(rows, specials.sep) or ends_with(rows, specials.eos)
    return HeadData(objectives.ClassificationObjective(pad=specials.pad or 0), rows, ("encoder.*",) if ends else ())


def ends_with(rows: Sequence[Row], token: int | None) -> bool:
    """Whether all that is read ends with this token."""
    return token is not None and all(len(row[0]) > 1 and row[0][-1] == token for row in rows)


READERS: dict[str, Callable[..., HeadData]] = {
    "translate": translations,
    "generate": texts,
    "fill": hidden_words,
    "classify": labels,
}
