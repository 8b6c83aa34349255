"""A translation, and how it came about."""

import heapq
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

import numpy as np

from regard.decoding.hypothesis import DecodeResult, Hypothesis
from regard.tasks.confidence import (
    Calibration,
    Confidence,
    SentenceConfidence,
    SentenceFacts,
    WordProbability,
    signs_of,
)
from regard.tasks.inputs import SourceSentence
from regard.tasks.spelling import token_texts
from regard.tasks.token_words import block_diagonal, texts_at, words_at
from regard.tasks.warnings import TranslationWarning, length_warnings
from regard.text import Tokenizer
from regard.text.capitals import to_capitals
from regard.text.spans import Protection
from regard.text.stand_ins import ChangedText, Substitution

if TYPE_CHECKING:
    from regard.tasks.alignment import Alignment


@dataclass(frozen=True)
class Translation:
    """What was written. `score` is its log-probability, `rank_score` what hypotheses are compared by: the score made
    comparable between lengths. `is_finished` is False if it was stopped for its length. `alternatives` are the next
    best, as many as were asked for. `warnings` say what looks wrong: a span that was not kept, a length. `parts` are
    what it was put together from.
    """

    source: str
    text: str
    score: float
    rank_score: float
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    is_finished: bool
    source_tokens: tuple[str, ...]
    alternatives: tuple["Translation", ...]
    align: "Callable[[], Alignment]" = field(repr=False, compare=False)
    warnings: tuple[TranslationWarning, ...] = ()
    parts: "tuple[TranslationDraft | Translation, ...]" = field(default=(), repr=False, compare=False)

    @cached_property
    def alignment(self) -> "Alignment":
        """Who looked at whom: from one more pass over source and translation, when it is first asked for."""
        return self.align()

    @cached_property
    def words(self) -> tuple[WordProbability, ...]:
        """The words of the translation and how likely each was, worked out when it is first asked for."""
        return tuple(word for part in self.parts for word in part.words)

    @cached_property
    def confidence(self) -> Confidence:
        """How sure one may be of each sentence: from the probabilities and from who looked at whom."""
        whole = self.alignment if any(isinstance(part, TranslationDraft) for part in self.parts) else None
        sentences = [
            part.sentence_confidences(whole) if isinstance(part, TranslationDraft) else part.confidence.sentences
            for part in self.parts
        ]
        return Confidence(tuple(sentence for part_sentences in sentences for sentence in part_sentences))

    def __getstate__(self) -> Mapping[str, object]:
        """To be pickled, what is worked out later has to be there: it takes the model and the tokenizer."""
        known = {"alignment": self.alignment, "words": self.words, "confidence": self.confidence}
        return vars(self) | known | {"align": KnownAlignment(self.alignment), "parts": ()}


@dataclass(frozen=True)
class KnownAlignment:
    """An alignment that is there already."""

    alignment: "Alignment"

    def __call__(self) -> "Alignment":
        return self.alignment


@dataclass(frozen=True)
class WrittenTranslation:
    """What was written for each sentence of a text, None for one without tokens; so many ways to choose are wanted."""

    results: tuple[DecodeResult | None, ...]
    num_hypotheses: int = 1

    @property
    def choices(self) -> "list[Choice]":
        """The best ways to choose one hypothesis for each sentence, best first."""
        return best_choices([result and result.hypotheses for result in self.results], self.num_hypotheses)


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
    protection: Protection | None = None
    calibration: Calibration | None = None

    @cached_property
    def texts(self) -> list[str]:
        """What stands for each piece, the gap included."""
        return [
            self.target_text(sentence, hypothesis) + sentence.gap
            for sentence, hypothesis in zip(self.sentences, self.choice, strict=True)
        ]

    def target_text(self, sentence: SourceSentence, hypothesis: Hypothesis | None) -> str:
        """What stands for a piece."""
        return self.changed_text(sentence, self.decode(hypothesis.ids)).text if hypothesis else sentence.sentence

    def changed_text(self, sentence: SourceSentence, text: str) -> ChangedText:
        """What was written with what stands for it: the spans that it may not change, capitals."""
        text = to_capitals(text) if sentence.is_capital else text
        if sentence.is_part:
            return part_of_sentence(sentence.sentence, text)
        restored = sentence.masked.restore(text) if sentence.masked else None
        return ChangedText(text, ()) if restored is None else without_stop(sentence.sentence, restored)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of some tokens, without bytes that make no letter."""
        return self.target.decode(ids).replace("\ufffd", "")

    @property
    def hypotheses(self) -> list[tuple[SourceSentence, Hypothesis]]:
        return [
            (sentence, hypothesis)
            for sentence, hypothesis in zip(self.sentences, self.choice, strict=True)
            if hypothesis
        ]

    def translation(self, align: "Callable[[], Alignment]", alternatives: Sequence[Translation] = ()) -> Translation:
        """The translation."""
        hypotheses = [hypothesis for _, hypothesis in self.hypotheses]
        ids = tuple(number for hypothesis in hypotheses for number in hypothesis.ids)
        return Translation(
            source=self.source,
            text="".join(self.texts),
            score=sum(hypothesis.score for hypothesis in hypotheses),
            rank_score=sum(hypothesis.rank_score for hypothesis in hypotheses),
            tokens=self.target.tokens(ids),
            ids=ids,
            is_finished=all(hypothesis.is_finished for hypothesis in hypotheses),
            source_tokens=tuple(token for sentence, _ in self.hypotheses for token in sentence.tokens.tokens),
            alternatives=tuple(alternatives),
            align=align,
            warnings=tuple(self.warnings()),
            parts=(self,),
        )

    @property
    def words(self) -> tuple[WordProbability, ...]:
        """Each word, and the product of the probabilities of its tokens."""
        text = "".join(self.texts)
        scores = [score for _, hypothesis in self.hypotheses for score in hypothesis.scores[: len(hypothesis.ids)]]
        totals = dict.fromkeys(range(len(text.split())), 0.0)
        for word, score in zip(words_at(text, [min(end, len(text)) for end in self.ends()]), scores, strict=True):
            if word is not None:
                totals[word] += score
        return tuple(
            WordProbability(word, math.exp(total)) for word, total in zip(text.split(), totals.values(), strict=True)
        )

    def sentence_confidences(self, alignment: "Alignment | None") -> tuple[SentenceConfidence, ...]:
        """How sure one may be of each sentence, given who looked at whom in all of them."""
        assert alignment is not None
        results: list[SentenceConfidence] = []
        row = column = 0
        for sentence, hypothesis in self.hypotheses:
            rows, columns = len(hypothesis.ids), len(sentence.tokens)
            text = self.target_text(sentence, hypothesis)
            facts = SentenceFacts(
                scores=hypothesis.scores,
                weights=alignment.weights[row : row + rows, column : column + columns],
                ids=hypothesis.ids,
                source=sentence.sentence,
                target=text,
                is_finished=hypothesis.is_finished,
            )
            signs = signs_of(facts)
            score = None if self.calibration is None else self.calibration.probability(signs)
            results.append(SentenceConfidence(text, score, signs["coverage"], signs))
            row, column = row + rows, column + columns
        return tuple(results)

    def warnings(self) -> Iterator[TranslationWarning]:
        """What looks wrong."""
        for sentence, hypothesis, text in zip(self.sentences, self.choice, self.texts, strict=True):
            if hypothesis:
                yield from length_warnings(sentence, hypothesis, text)
        missing = self.protection.missing(self.source, "".join(self.texts)) if self.protection else []
        if missing:
            names = ", ".join(repr(span) for span in missing)
            yield TranslationWarning("span", f"not kept as it was: {names}")

    def alignment(self, weights_of_sentences: Sequence[np.ndarray]) -> "Alignment":
        """From who looked at what in each piece; no sentence looks at another."""
        weights = [
            sentence_weights[: len(hypothesis.ids)]
            for sentence_weights, (_, hypothesis) in zip(weights_of_sentences, self.hypotheses, strict=True)
        ]
        text = "".join(self.texts)
        target_ids = [number for _, hypothesis in self.hypotheses for number in hypothesis.ids]
        source_ids = [number for sentence, _ in self.hypotheses for number in sentence.tokens.ids]
        source = tuple(token for sentence, _ in self.hypotheses for token in sentence.tokens.tokens)
        target_ends = [min(end, len(text)) for end in self.ends()]
        source_ends = [end for sentence, _ in self.hypotheses for end in sentence.ends()]
        from regard.tasks.alignment import Alignment

        return Alignment(
            block_diagonal(weights),
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
        counts, begin = [], 0
        for sentence, hypothesis, text in zip(self.sentences, self.choice, self.texts, strict=True):
            if hypothesis:
                changed = self.changed_text(sentence, self.decode(hypothesis.ids))
                lengths = [len(self.decode(hypothesis.ids[: index + 1])) for index in range(len(hypothesis.ids))]
                counts += [begin + changed.position(length) for length in lengths]
            begin += len(text)
        return counts


SIGNS = re.compile(r"\s?[%{}<>$]+")
STOP = re.compile(r"\s*[.!?…,;:]+\Z")


def without_stop(source: str, target: ChangedText) -> ChangedText:
    """A sentence without the full stop that its source does not have."""
    stop = STOP.search(target.source)
    is_free = stop is not None and all(change.end <= stop.start() for change in target.changes)
    if stop is None or not is_free or STOP.search(source):
        return target
    return ChangedText(target.source, (*target.changes, Substitution(*stop.span(), "")))


def part_of_sentence(source: str, target: str) -> ChangedText:
    """A part of a sentence without the full stop that it does not have, and without signs that make a placeholder."""
    begins = [match.span() for match in SIGNS.finditer(target) if not any(sign in source for sign in match[0].strip())]
    stop = STOP.search(target)
    if stop and source[-1:].isalnum() and not any(end > stop.start() for _, end in begins):
        begins.append(stop.span())
    return ChangedText(target, tuple(Substitution(begin, end, "") for begin, end in begins))


def best_translation(
    drafts: Sequence[TranslationDraft], alignments: "Iterable[Callable[[], Alignment]]"
) -> Translation:
    """The first of some ways to translate a text, the others as its alternatives; what aligns each, in their order."""
    best, *others = zip(drafts, alignments, strict=True)
    return best[0].translation(best[1], [draft.translation(align) for draft, align in others])


@runtime_checkable
class RankedResult(Protocol):
    """Something that others of its kind are compared with."""

    @property
    def rank_score(self) -> float: ...


Item = TypeVar("Item", bound=RankedResult)


def best_choices(hypotheses_of_sentences: Sequence[Sequence[Item] | None], count: int) -> list[tuple[Item | None, ...]]:
    """The best ways to choose one hypothesis for each piece of a text, best first; None for a piece without any."""
    best: list[tuple[float, tuple[Item | None, ...]]] = [(0.0, ())]
    for hypotheses in hypotheses_of_sentences:
        options: list[tuple[float, Item | None]] = [
            (hypothesis.rank_score, hypothesis) for hypothesis in hypotheses or ()
        ] or [(0.0, None)]
        longer = ((total + rank, (*choice, hypothesis)) for total, choice in best for rank, hypothesis in options)
        best = heapq.nlargest(count, longer, key=lambda pair: pair[0])
    return [choice for _, choice in best]
