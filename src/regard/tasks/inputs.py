"""What each task reads: texts as tokens, and where in the text each token stands. Nothing here takes torch to hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.errors import ArgumentError
from regard.text.encoded import Encoded
from regard.text.spans import ProtectedSpan, Protection
from regard.text.stand_ins import MaskedText

Text = str | tuple[str, str]
"""A text, or a pair of them."""


def text_list(text: object) -> list[Any]:
    """The texts of a caller, who may have one; each is looked at when it is read."""
    if isinstance(text, str):
        return [text]
    if isinstance(text, bytes | Mapping) or not isinstance(text, Iterable):
        raise ArgumentError(f"a text or a list of texts expected, got {type(text).__name__}")
    texts = list(text)
    for number, item in enumerate(texts, 1):
        if not isinstance(item, str | tuple):
            raise ArgumentError(f"text {number} is no text but {type(item).__name__}")
    return texts


@dataclass(frozen=True)
class EncodedText:
    """A text, or a pair, and its tokens."""

    text: Text
    encoded: Encoded

    @property
    def reading(self) -> "Reading":
        return Reading((), self.encoded.ids, self.encoded.segments)


@dataclass(frozen=True)
class GappedText(EncodedText):
    """A text with words left out; `gaps` are the positions of the tokens that stand for them."""

    gaps: tuple[int, ...]


@dataclass(frozen=True)
class SourceSentence:
    """A sentence as the model reads it, and the gap that follows it; no tokens where there is nothing to translate.

    `begin` is where it stands in the text, `code` the language that is asked for before it. With `is_capital` the
    answer is wanted in capitals. `spans` are those that a translation may not change; the model reads `masked` instead,
    if that is there. `gap` is as it stands in the translation. `is_part`: it goes on, or began, in a gap. What is
    written begins with the tokens of `prefix`.
    """

    sentence: str
    gap: str
    encoded: Encoded | None
    begin: int = 0
    code: str = ""
    is_capital: bool = False
    spans: tuple[ProtectedSpan, ...] = ()
    masked: MaskedText | None = None
    is_part: bool = False
    prefix: tuple[int, ...] = ()

    @property
    def tokens(self) -> Encoded:
        """The tokens, of a sentence that has some."""
        assert self.encoded is not None
        return self.encoded

    def ends(self) -> list[int | None]:
        """How much of the whole text is read after each token; None for what is no part of it."""
        if self.encoded is None:
            return []
        ends = [offset[1] - len(self.code) for offset in self.encoded.offsets]
        if self.masked is not None:
            unmasked = self.masked.changed.back()
            ends = [unmasked.position(max(0, end)) for end in ends]
        ends_and_texts = zip(ends, self.encoded.texts, strict=True)
        return [None if which is None or end <= 0 else self.begin + end for end, which in ends_and_texts]


@dataclass(frozen=True)
class SourceText:
    """A text to translate, in the sentences that are read one at a time (`is_split`), or all of it as one. With a
    `protection` its sentences know their spans."""

    text: str
    sentences: tuple[SourceSentence, ...]
    protection: Protection | None = None
    is_split: bool = False


@dataclass(frozen=True, eq=False)
class StoryQuestion:
    """A question and the sentences of the story that a model remembers, and both as numbers of words."""

    story: tuple[str, ...]
    question: str
    story_ids: np.ndarray  # (sentences, words), padded behind
    question_ids: np.ndarray


@dataclass(frozen=True)
class Reading:
    """What one more pass has to read for every pattern of an answer to have all of its rows: the tokens of a source,
    none where the model reads none, those that the target was written from, and the segments of the latter, if any."""

    source: Sequence[int]
    target: Sequence[int]
    segments: Sequence[int] | None = None


def decoder_input(prefix: Sequence[int], ids: Sequence[int], is_finished: bool) -> tuple[int, ...]:
    """The tokens that a model had read when it wrote the last one; what ended a text counts as written."""
    whole = (*prefix, *ids)
    return whole if is_finished or len(whole) == len(prefix) else whole[:-1]
