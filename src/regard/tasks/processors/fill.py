"""Words that were left out: texts with gaps are read, and filled."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from regard.tasks.inputs import GappedText, Text
from regard.tasks.processors.processor import Processor, text_name
from regard.text import TokenizerError


@dataclass(frozen=True)
class FillCandidate:
    """One word for one gap, and its probability."""

    token: str
    score: float
    id: int


@dataclass(frozen=True)
class FilledText:
    """A text with its gaps filled. `candidates` are the likeliest words of each gap; `text` has the first ones in it,
    `score` is the probability of these together."""

    text: str
    score: float
    tokens: tuple[str, ...]
    candidates: tuple[tuple[FillCandidate, ...], ...]


@dataclass(frozen=True, eq=False)
class GapProbabilities:
    """The likeliest tokens of every gap of a text, and their probabilities: both (gaps, top)."""

    ids: np.ndarray
    probabilities: np.ndarray


class FillProcessor(Processor):
    """Reads texts with gaps, and puts the likeliest words there."""

    @property
    def mask(self) -> str:
        """How a gap is written."""
        number = self.tokenizer.specials.mask
        if number is None:
            raise TokenizerError(f"{self.description.folder}: its tokeniser has no mask token")
        return self.tokenizer.token(number)

    def read(self, text: Text, number: int | None = None, *, may_be_whole: bool = False) -> GappedText:
        """The tokens of a text and its gaps; one without gaps only where that may be."""
        encoded, mask = self.encode(text, number, special=[self.mask]), self.tokenizer.specials.mask
        gaps = tuple(position for position, token in enumerate(encoded.ids) if token == mask)
        if not gaps and not may_be_whole:
            raise TokenizerError(f"{text_name(number)} has no gap: write {self.mask} where a word is missing")
        return GappedText(text, encoded, gaps)

    def answer(self, text: GappedText, likeliest: GapProbabilities) -> FilledText:
        candidates = tuple(
            tuple(map(FillCandidate, self.tokenizer.tokens(ids), probabilities, ids))
            for ids, probabilities in zip(likeliest.ids.tolist(), likeliest.probabilities.tolist(), strict=True)
        )
        best = [gap[0] for gap in candidates]
        filled = self.fill_text(text, [candidate.id for candidate in best])
        score = prod(candidate.score for candidate in best)
        return FilledText(filled, score, tuple(candidate.token for candidate in best), candidates)

    def fill_text(self, gapped: GappedText, ids: Sequence[int]) -> str:
        """The text with words in its gaps; a piece that continues the word before it is joined to it."""
        text, encoded, gaps = gapped.text, gapped.encoded, gapped.gaps
        parts = [text] if isinstance(text, str) else list(text)
        filled_ids = list(encoded.ids)
        for position, number in zip(gaps, ids, strict=True):
            filled_ids[position] = number
        for position in reversed(gaps):
            text_number = encoded.texts[position] or 0
            before, after = (
                parts[text_number][end]
                for end in (slice(encoded.offsets[position][0]), slice(encoded.offsets[position][1], None))
            )
            gap = parts[text_number][len(before) : len(parts[text_number]) - len(after)]
            earlier = self.tokenizer.decode(filled_ids[max(0, position - 1) : position])
            added = self.tokenizer.decode(filled_ids[max(0, position - 1) : position + 1]).removeprefix(earlier)
            if earlier and added == added.lstrip():
                before, gap = before.rstrip(), gap.lstrip()
            space = gap[: len(gap) - len(gap.lstrip())]
            parts[text_number] = before + space + added.strip() + after
        return " ".join(parts)
