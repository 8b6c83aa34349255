"""What is asked about a model, and what is found."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from regard.text import Corpus, DataError
from regard.training.evaluation.held_out import Totals, perplexity
from regard.training.objectives.objective import ExampleBatch

OnShare = Callable[[float], None]
"""Told how much is done, as a share of 1."""

EDGES = (5, 10, 15, 20, 30, 50)  # words up to which a text belongs to a group of its length
WORDS = "words"


@dataclass(frozen=True)
class EvaluationConfig:
    """How it is to be measured; each kind of model takes from it what concerns it.

    Translators: how they search (None: as the folder says), how sacreBLEU cuts texts, whether "@@ " is to be removed
    (None: if the model's own tokeniser does). Language models: tokens read at once. Masked ones: what hides words.
    """

    beam: int | None = None
    length_penalty: float | None = None
    precision: str = "float32"
    language: str | None = None
    split: bool = False
    tokenize: str = "13a"
    lowercase: bool = False
    bpe_removed: bool | None = None
    cut: bool = False
    context: int | None = None
    seed: int = 1


class EvaluationOptions(TypedDict, total=False):
    """What a caller may say of an EvaluationConfig."""

    beam: int | None
    length_penalty: float | None
    precision: str
    language: str | None
    split: bool
    tokenize: str
    lowercase: bool
    bpe_removed: bool | None
    cut: bool
    context: int | None
    seed: int


@dataclass(frozen=True)
class Evaluation:
    """Scores of all texts, how they were counted, and tables: by length in words, by label. A table has rows by name.

    `hypotheses` are what a translator wrote, one for each text.
    """

    task: str
    texts: int
    scores: Mapping[str, float]
    details: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    hypotheses: Sequence[str] = field(default=(), repr=False)

    def plain(self) -> dict[str, object]:
        """All but the hypotheses, for JSON."""
        return {name: value for name, value in vars(self).items() if name != "hypotheses"}


def samples(corpus: Corpus) -> list[tuple[str, ...]]:
    """All of a corpus; a sample with an empty text is an error that says where."""
    checked = []
    for number, sample in enumerate(corpus):
        for column, text in zip(corpus.columns, sample, strict=True):
            if not text.strip():
                raise DataError(f"{corpus.location(number)}: the {column} is empty")
        checked.append(sample)
    return checked


def by_length(texts: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the texts of each length in words; lengths that do not occur are left out."""
    bounds = list(zip((0, *EDGES), (*EDGES, None), strict=True))
    groups: dict[str, list[int]] = {f"{low + 1}-{high}" if high else f"> {low}": [] for low, high in bounds}
    names = list(groups)
    for number, text in enumerate(texts):
        length = len(text.split())
        groups[names[sum(length > edge for edge in EDGES)]].append(number)
    return {name: numbers for name, numbers in groups.items() if numbers}


def wording(totals: Totals, texts: Sequence[str]) -> dict[str, float]:
    """The loss by token, word and character: the last two can be compared between tokenisers."""
    words, characters = sum(len(text.split()) for text in texts), sum(map(len, texts))
    return totals.means() | {
        "word_perplexity": perplexity(totals.loss / max(words, 1)),
        "bits_per_character": totals.loss / math.log(2) / max(characters, 1),
    }


def report_batches(batches: Sequence[ExampleBatch], on_batch: Callable[[int], None]) -> Iterator[ExampleBatch]:
    """The batches; `on_batch` hears of the positions of each, once it is done with."""
    for batch in batches:
        yield batch
        on_batch(batch.count)


def counting(on_progress: OnShare | None, total: int, begin: float = 0.0, end: float = 1.0) -> Callable[[int], None]:
    """Turns counts, of so many in all, into the share that is done: a part of the whole from `begin` to `end`."""
    done = 0

    def on_batch(count: int) -> None:
        nonlocal done
        done += count
        if on_progress is not None:
            on_progress(begin + (end - begin) * min(1.0, done / max(total, 1)))

    return on_batch
