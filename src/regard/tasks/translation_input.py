"""Texts on their way to a translator, and what puts their translations back where they came from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from regard.tasks.inputs import SourceText
from regard.tasks.signs import with_mnemonic
from regard.tasks.translation import Translation, WrittenTranslation
from regard.text.spans import Protection

if TYPE_CHECKING:
    from regard.tasks.markup import Page


@dataclass(frozen=True)
class TranslationInput:
    """Texts as a translator reads them. Of texts with tags, `sources` are those between the tags of all `pages`, and
    `is_aligned` says which of them need an alignment to have theirs back."""

    originals: tuple[str, ...]
    sources: tuple[SourceText, ...]
    is_aligned: tuple[bool, ...]
    pages: "tuple[Page, ...] | None" = None
    protection: Protection | None = None

    @property
    def sentences(self) -> list[SourceText]:
        """Each sentence as a text of its own: what can be written apart from the others."""
        return [replace(source, sentences=(sentence,)) for source in self.sources for sentence in source.sentences]

    def join_sentences(
        self, written: Sequence[tuple[SourceText, WrittenTranslation]], num_hypotheses: int
    ) -> tuple[list[SourceText], list[WrittenTranslation]]:
        """What was read in the end and written for all `sentences`, in their order, as it is for whole sources."""
        remaining = iter(written)
        sources: list[SourceText] = []
        results: list[WrittenTranslation] = []
        for source in self.sources:
            parts = list(islice(remaining, len(source.sentences)))
            sentences = tuple(sentence for part, _ in parts for sentence in part.sentences)
            sources.append(replace(source, sentences=sentences))
            decoded = tuple(result for _, part in parts for result in part.results)
            results.append(WrittenTranslation(decoded, num_hypotheses))
        return sources, results

    def put_back(self, answers: Sequence[Translation], num_hypotheses: int) -> list[Translation]:
        """The translations of the texts, from those of the sources."""
        answers = list(answers)
        if self.pages is not None:
            from regard.tasks.markup import put_back

            answers = put_back(self.pages, answers, num_hypotheses)
        if self.protection is not None and self.protection.mnemonic:
            sign = self.protection.mnemonic
            answers = [with_mnemonic(*pair, sign) for pair in zip(self.originals, answers, strict=True)]
        return answers
