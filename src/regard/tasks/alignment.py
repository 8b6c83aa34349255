"""Which words of a source were looked at while each word of an answer was written."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis
from regard.tasks.token_words import block_diagonal, texts_at, words_at
from regard.text.align.links import Link, Links, pharaoh
from regard.text.align.words import links, word_weights

if TYPE_CHECKING:
    from regard.pictures import Picture

__all__ = ["Alignment", "join_alignments", "texts_at", "words_at"]


@dataclass(frozen=True, eq=False)
class Alignment(LabelledResult):
    """How much each target token looked at each source token, under one look (looking/align); a row sums to 1.

    `source_words` and `target_words` say to which word, counted between spaces, a token belongs; None for what is no
    part of the text. `target_texts` and `source_texts` are what a picture calls the tokens: the letters that each
    stands for. `target_ends` and `source_ends` are how much of each text is read after a token.
    """

    weights: np.ndarray  # (target, source)
    target: tuple[str, ...]
    source: tuple[str, ...]
    target_words: tuple[int | None, ...]
    source_words: tuple[int | None, ...]
    target_texts: tuple[str, ...] = ()
    source_texts: tuple[str, ...] = ()
    target_ends: tuple[int | None, ...] = ()
    source_ends: tuple[int | None, ...] = ()

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of rows and columns: as in the text, or as in the vocabulary where that is not known."""
        return self.target_texts or self.target, self.source_texts or self.source

    def labelled(self) -> LabelledNumbers:
        target, source = self.labels
        return LabelledNumbers(self.weights, (NamedAxis("target", target), NamedAxis("source", source)))

    @cached_property
    def pairs(self) -> tuple[Link, ...]:
        """Token pairs (source, target): the token of the text that each target token looked at most."""
        is_text = np.array([word is not None for word in self.source_words], dtype=bool)
        return by_target(links(self.weights * is_text))

    @cached_property
    def words(self) -> tuple[Link, ...]:
        """Word pairs (source, target): looks of one word are averaged, looks at one word are added up."""
        return by_target(links(self.word_weights))

    @property
    def word_weights(self) -> np.ndarray:
        """How much each target word looked at each source word."""
        return word_weights(self.weights, self.target_words, self.source_words)

    @property
    def pharaoh(self) -> str:
        """Word pairs as other tools read them: "0-0 1-2", source first, counted from 0."""
        return pharaoh(self.words)

    def draw(self, *, colour: bool = False, width: int | None = None) -> str:
        """A row for each target token, a column for each source token, for the terminal."""
        return self.picture().draw(colour=colour, width=width)

    def picture(self, title: str = "") -> "Picture":
        """The same as a picture: `picture().save("map.html")`, or .svg, .png, .txt."""
        from regard.pictures import Picture

        return Picture(self.weights, *self.labels, title)

    def svg(self, title: str = "") -> str:
        """The picture with the exact weights under the pointer."""
        return self.picture(title).svg()

    def save(self, path: str | Path, title: str = "") -> None:
        """Write the picture in the form that the file's ending says: .svg, .png, .html or .txt."""
        self.picture(title).save(path)

    def _repr_html_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.draw()


def by_target(word_links: Links) -> tuple[Link, ...]:
    return tuple(sorted(word_links, key=lambda link: (link[1], link[0])))


def join_alignments(alignments: Sequence[Alignment], texts: Sequence[tuple[str, str]]) -> Alignment:
    """Pairs of texts, source and target, on lines of their own: no line looks at another."""
    sides = list(zip(*texts, strict=True)) or [(), ()]
    words = [[len(text.split()) for text in side] for side in sides]
    letters = [[len(text) + 1 for text in side] for side in sides]
    return Alignment(
        block_diagonal([alignment.weights for alignment in alignments]),
        flatten([alignment.target for alignment in alignments]),
        flatten([alignment.source for alignment in alignments]),
        shift_numbers([alignment.target_words for alignment in alignments], words[1]),
        shift_numbers([alignment.source_words for alignment in alignments], words[0]),
        flatten([alignment.target_texts for alignment in alignments]),
        flatten([alignment.source_texts for alignment in alignments]),
        shift_numbers([alignment.target_ends for alignment in alignments], letters[1]),
        shift_numbers([alignment.source_ends for alignment in alignments], letters[0]),
    )


def flatten(names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(name for text_names in names for name in text_names)


def shift_numbers(numbers_of_texts: Sequence[Sequence[int | None]], sizes: Sequence[int]) -> tuple[int | None, ...]:
    """Positions of several texts as positions of all of them, each of which takes so much."""
    offsets = accumulate(sizes, initial=0)
    return tuple(
        None if number is None else number + offset
        for numbers, offset in zip(numbers_of_texts, offsets, strict=False)
        for number in numbers
    )
