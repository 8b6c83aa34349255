"""A translation, and how it came about."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeVar, runtime_checkable

import torch
from torch import Tensor

from regard.decoding import Hypothesis
from regard.tasks.alignment import Alignment, texts_at, words_at
from regard.tasks.spelling import token_texts
from regard.text import Encoded, Tokenizer
from regard.text.capitals import large


@dataclass(frozen=True)
class Translation:
    """What was written. `score` is its log-probability, `ranked` what hypotheses are compared by: the score made
    comparable between lengths. `is_finished` is False if it was stopped for its length. `alternatives` are the next
    best, as many as were asked for.
    """

    source: str
    text: str
    score: float
    ranked: float
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    is_finished: bool
    source_tokens: tuple[str, ...]
    alternatives: tuple["Translation", ...]
    align: Callable[[], Alignment] = field(repr=False, compare=False)

    @cached_property
    def alignment(self) -> Alignment:
        """Who looked at whom: from one more pass over source and translation, when it is first asked for."""
        return self.align()


@dataclass(frozen=True)
class SourceSentence:
    """A sentence as the model reads it, and the gap that follows it; no tokens where there is nothing to translate.

    `begin` is where it stands in the text, `code` the language that is asked for before it. With `large` the answer is
    wanted in capitals.
    """

    sentence: str
    gap: str
    encoded: Encoded | None
    begin: int = 0
    code: str = ""
    large: bool = False

    def ends(self) -> list[int | None]:
        """How much of the whole text is read after each token; None for what is no part of it."""
        if self.encoded is None:
            return []
        ends = [offset[1] - len(self.code) for offset in self.encoded.offsets]
        places = zip(ends, self.encoded.texts, strict=True)
        return [None if which is None or end <= 0 else self.begin + end for end, which in places]


Choice = tuple[Hypothesis | None, ...]
"""What was written for each piece of a text; None for a piece without tokens."""


@dataclass(frozen=True)
class TranslationDraft:
    """One way to translate a text: its pieces, and what was written for each of them."""

    source: str
    sentences: tuple[SourceSentence, ...]
    choice: Choice
    target: Tokenizer
    reads: Tokenizer | None = None  # of the source, to name tokens that are no letters

    @cached_property
    def texts(self) -> list[str]:
        """What stands for each piece, the gap included."""
        return [
            self.target_text(piece, one) + piece.gap for piece, one in zip(self.sentences, self.choice, strict=True)
        ]

    def target_text(self, piece: SourceSentence, one: Hypothesis | None) -> str:
        """What stands for a piece."""
        text = self.decode(one.ids) if one else piece.sentence
        return large(text) if one and piece.large else text

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without bytes that make no letter."""
        return self.target.decode(ids).replace("\ufffd", "")

    @property
    def hypotheses(self) -> list[tuple[SourceSentence, Hypothesis]]:
        return [(piece, one) for piece, one in zip(self.sentences, self.choice, strict=True) if one]

    def translation(self, align: Callable[[], Alignment], alternatives: Sequence[Translation] = ()) -> Translation:
        """The translation."""
        written = [one for _, one in self.hypotheses]
        ids = tuple(number for one in written for number in one.ids)
        return Translation(
            source=self.source,
            text="".join(self.texts),
            score=sum(one.score for one in written),
            ranked=sum(one.ranked for one in written),
            tokens=self.target.tokens(ids),
            ids=ids,
            is_finished=all(one.is_finished for one in written),
            source_tokens=tuple(token for piece, _ in self.hypotheses for token in encoding_of(piece).tokens),
            alternatives=tuple(alternatives),
            align=align,
        )

    def alignment(self, looks: Sequence[Tensor]) -> Alignment:
        """From who looked at what in each piece; no sentence looks at another."""
        weights = [look[: len(one.ids)] for look, (_, one) in zip(looks, self.hypotheses, strict=True)]
        text = "".join(self.texts)
        target_ids = [number for _, one in self.hypotheses for number in one.ids]
        source_ids = [number for piece, _ in self.hypotheses for number in encoding_of(piece).ids]
        source = tuple(token for piece, _ in self.hypotheses for token in encoding_of(piece).tokens)
        target_ends = [min(end, len(text)) for end in self.ends()]
        source_ends = [end for piece, _ in self.hypotheses for end in piece.ends()]
        return Alignment(
            torch.block_diag(*weights) if weights else torch.zeros(0, 0),
            self.target.tokens(target_ids),
            source,
            words_at(text, target_ends),
            words_at(self.source, source_ends),
            texts_at(text, target_ends, token_texts(self.target, target_ids)),
            texts_at(self.source, source_ends, token_texts(self.reads, source_ids) if self.reads else source),
            tuple(target_ends),
            tuple(source_ends),
        )

    def ends(self) -> list[int]:
        """How much of the translation there is after each of its tokens."""
        found, begin = [], 0
        for one, text in zip(self.choice, self.texts, strict=True):
            ids = one.ids if one else ()
            found += [begin + len(self.decode(ids[: place + 1])) for place in range(len(ids))]
            begin += len(text)
        return found


def encoding_of(piece: SourceSentence) -> Encoded:
    assert piece.encoded is not None
    return piece.encoded


@runtime_checkable
class RankedResult(Protocol):
    """Something that others of its kind are compared with."""

    @property
    def ranked(self) -> float: ...


One = TypeVar("One", bound=RankedResult)


def best_choices(found: Sequence[Sequence[One] | None], count: int) -> list[tuple[One | None, ...]]:
    """The best ways to choose one hypothesis for each piece of a text, best first; None for a piece without any."""
    best: list[tuple[float, tuple[One | None, ...]]] = [(0.0, ())]
    for hypotheses in found:
        options: list[tuple[float, One | None]] = [(one.ranked, one) for one in hypotheses or ()] or [(0.0, None)]
        longer = ((total + rank, (*choice, one)) for total, choice in best for rank, one in options)
        best = heapq.nlargest(count, longer, key=lambda pair: pair[0])
    return [choice for _, choice in best]
