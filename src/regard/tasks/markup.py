"""Tags go with the words: a text is translated without them, and the alignment says where they belong."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from regard.errors import lookup
from regard.tasks.alignment import join_alignments
from regard.tasks.translation import Translation, TranslationDraft, best_choices
from regard.text.align.spans import Range, Span, carry_spans
from regard.text.align.words import merge_tokens
from regard.text.documents import OpenDocument
from regard.text.files import TokenizerError
from regard.text.formats import MARKUPS
from regard.text.markup import units
from regard.text.segments import Segment
from regard.text.spans import Protection

DEFAULT = Protection()


@dataclass(frozen=True)
class Page:
    """A text of some format, taken apart."""

    source: str
    document: OpenDocument

    @classmethod
    def read(cls, source: str, markup: str) -> "Page":
        if not isinstance(source, str):
            raise TokenizerError("one text with tags expected, got a pair")
        return cls(source, lookup(MARKUPS, markup, "markup")(source))

    @cached_property
    def texts(self) -> list[str]:
        """What there is to translate."""
        return [segment.text for segment in self.document.segments]

    def with_markup(self, answers: Sequence[Translation]) -> str | bytes:
        """The page with these translations of its texts."""
        return with_answers(self.document, answers)

    def join(self, answers: Sequence[Translation], alternatives: Sequence[Translation] = ()) -> Translation:
        """The translation of the page; its alignment is of the texts without tags, each on a line of its own."""
        pairs = list(zip(self.texts, (answer.text for answer in answers), strict=True))
        return Translation(
            source=self.source,
            text=str(self.with_markup(answers)),
            score=sum(answer.score for answer in answers),
            rank_score=sum(answer.rank_score for answer in answers),
            tokens=tuple(token for answer in answers for token in answer.tokens),
            ids=tuple(number for answer in answers for number in answer.ids),
            is_finished=all(answer.is_finished for answer in answers),
            source_tokens=tuple(token for answer in answers for token in answer.source_tokens),
            alternatives=tuple(alternatives),
            align=lambda: join_alignments([answer.alignment for answer in answers], pairs),
            warnings=tuple(warning for answer in answers for warning in answer.warnings),
            parts=tuple(answers),
        )


@dataclass(frozen=True)
class TranslatedDocument:
    """A document in another language, and the translations of its texts in their order."""

    content: str | bytes
    answers: tuple[Translation, ...]


def with_answers(document: OpenDocument, answers: Sequence[Translation]) -> str | bytes:
    """A document with these translations of its texts."""
    written = iter(answers)
    return document.with_texts(lambda segment: markup_text(segment, next(written)))


def segments(pages: Sequence[Page], numbers: Iterable[int | None]) -> tuple[list[str], list[int | None]]:
    """The texts of all pages, and the number of the page of each."""
    texts = [(text, number) for page, number in zip(pages, numbers, strict=True) for text in page.texts]
    return [text for text, _ in texts], [number for _, number in texts]


def put_back(pages: Sequence[Page], answers: Sequence[Translation], num_hypotheses: int) -> list[Translation]:
    """The pages with the translations of their texts, one for each, in order."""
    left, results = iter(answers), []
    for page in pages:
        page_answers = [(answer, *answer.alternatives) for answer in islice(left, len(page.texts))]
        best, *others = (
            [answer for answer in choice if answer] for choice in best_choices(page_answers, num_hypotheses)
        )
        results.append(page.join(best, [page.join(other) for other in others]))
    return results


def markup_text(segment: Segment, answer: Translation) -> str:
    """A translation of a segment with its marks around the words that they belong to."""
    if not segment.marks:
        return segment.with_marks(answer.text, [])
    protection = protection_of_parts(answer)
    source, target = whole_units(segment.text, protection), whole_units(answer.text, protection)
    alignment = answer.alignment
    looks = merge_tokens(
        alignment.weights,
        covering(target, alignment.target_ends),
        covering(source, alignment.source_ends),
    )
    looks = looks * alike(answer.text, target, segment.text, source)
    looks = with_copies(
        looks, *(copies(text, words, protection) for text, words in ((answer.text, target), (segment.text, source)))
    )
    spans = [Span(*words_touched(source, mark.begin, mark.end), mark.parent) for mark in segment.marks]
    return segment.with_marks(answer.text, letters(target, len(answer.text), spans, carry_spans(spans, looks)))


def protection_of_parts(answer: Translation) -> Protection:
    """What was protected in a translation, or would be by default."""
    drafts = (part for part in answer.parts if isinstance(part, TranslationDraft))
    return next((draft.protection for draft in drafts if draft.protection), DEFAULT)


def whole_units(text: str, protection: Protection) -> list[Range]:
    """Words and punctuation marks of a text, and what is protected in one piece: no tag goes into a placeholder."""
    result: list[Range] = []
    spans = [(match.begin, match.end) for match in protection.matches(text)]
    for begin, end in sorted([*units(text), *spans]):
        if result and begin < result[-1][1]:
            begin, end = result[-1][0], max(end, result.pop()[1])
        result.append((begin, end))
    return result


def copies(text: str, words: Sequence[Range], protection: Protection) -> dict[tuple[str, int], int]:
    """Which word each protected span is, the first, the second of its kind and so on."""
    counts: Counter[str] = Counter()
    result: dict[tuple[str, int], int] = {}
    for match in protection.matches(text):
        counts[match.target] += 1
        result[match.target, counts[match.target]] = words_touched(words, match.begin, match.end)[0]
    return result


def with_copies(
    looks: np.ndarray, target: Mapping[tuple[str, int], int], source: Mapping[tuple[str, int], int]
) -> np.ndarray:
    """Who looks at whom where a span looks at nothing but itself, whatever stood in for it."""
    for span in target.keys() & source.keys():
        looks[target[span]] = 0
        looks[target[span], source[span]] = 1
    return looks


def alike(target: str, targets: Sequence[Range], source: str, sources: Sequence[Range]) -> np.ndarray:
    """True where a word meets a word, or a punctuation mark another: neither takes the place of the other."""
    kinds = [
        np.array([text[first].isalnum() for first, _ in words], dtype=bool)
        for text, words in ((target, targets), (source, sources))
    ]
    return kinds[0][:, None] == kinds[1]


def covering(words: Sequence[Range], ends: Sequence[int | None]) -> np.ndarray:
    """Which tokens each word shares a letter with, given where the words stand and how far the tokens reach."""
    result = np.zeros((len(words), len(ends)), dtype=np.float32)
    begin = 0
    for token, end in enumerate(ends):
        if end is not None:
            result[slice(*words_touched(words, begin, end)), token] = 1.0
            begin = max(begin, end)
    return result


def words_touched(words: Sequence[Range], begin: int, end: int) -> Range:
    """The words that share a letter with a stretch of text; where none does, the gap before the next word."""
    first = sum(last <= begin for _, last in words)
    return first, first if begin == end else max(first, sum(at < end for at, _ in words))


def letters(words: Sequence[Range], length: int, spans: Sequence[Span], ranges: Sequence[Range]) -> list[Range]:
    """Where spans of words stand in a text of so many letters; one without words is within its parent."""
    result: list[Range] = []
    for span, (first, last) in zip(spans, ranges, strict=True):
        if first < last:
            result.append((words[first][0], words[last - 1][1]))
            continue
        until, end = (ranges[span.parent][1], result[span.parent][1]) if span.parent >= 0 else (len(words), length)
        at = words[first][0] if first < until else end
        result.append((at, at))
    return result
