"""Which words of a source were looked at while each word of an answer was written."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor


def aligning(layers: int) -> int:
    """The layer whose looks at the source are read as an alignment: the last but one (Garg et al. 2019, section 4)."""
    return max(0, layers - 2)


@dataclass(frozen=True, eq=False)
class Alignment:
    """How much each target token looked at each source token: the mean of the heads of one layer, a row summing to 1.

    A row is the look at the step that writes its token, when the token itself is not yet known. `source_words` and
    `target_words` say to which word, counted between spaces, a token belongs; None for what is no part of the text.
    `target_texts` and `source_texts` are what a picture calls the tokens: the letters that each stands for.
    """

    weights: Float[Tensor, "target source"]
    target: tuple[str, ...]
    source: tuple[str, ...]
    target_words: tuple[int | None, ...]
    source_words: tuple[int | None, ...]
    target_texts: tuple[str, ...] = ()
    source_texts: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of rows and columns: as in the text, or as in the vocabulary where that is not known."""
        return self.target_texts or self.target, self.source_texts or self.source

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Token pairs (source, target): the token of the text that each target token looked at most."""
        return best(self.weights, self.source_words, range(len(self.source)), range(len(self.target)))

    @cached_property
    def words(self) -> tuple[tuple[int, int], ...]:
        """Word pairs (source, target): looks of one word are averaged, looks at one word are added up."""
        rows, columns = counted(self.target_words), counted(self.source_words)
        gathered = torch.zeros(len(rows), len(columns), dtype=self.weights.dtype)
        for row, target in enumerate(rows):
            look = self.weights[[place for place, word in enumerate(self.target_words) if word == target]].mean(0)
            for column, source in enumerate(columns):
                gathered[row, column] = look[[at for at, word in enumerate(self.source_words) if word == source]].sum()
        return best(gathered, columns, columns, rows)

    @property
    def pharaoh(self) -> str:
        """Word pairs as other tools read them: "0-0 1-2", source first, counted from 0."""
        return " ".join(f"{source}-{target}" for source, target in self.words)

    def draw(self, *, colour: bool = False, width: int | None = None) -> str:
        """A row for each target token, a column for each source token, for the terminal."""
        from regard.pictures.terminal import heat

        return heat(self.weights, *self.labels, colour=colour, width=width)

    def svg(self, title: str | None = None) -> str:
        """The same as a picture with the exact weights under the pointer."""
        from regard.pictures.svg import heat

        return heat(self.weights, *self.labels, title=title)

    def _repr_html_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.draw()


def best(
    weights: Tensor, real: Sequence[int | None], columns: Sequence[int], rows: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """The column of each row with the largest weight among those that are real; a row that sees nothing has none."""
    kept = [place for place, word in enumerate(real) if word is not None]
    if not kept or not len(rows):
        return ()
    most = weights[:, kept].max(-1)
    found = zip(most.indices.tolist(), most.values.tolist(), rows, strict=True)
    return tuple((columns[kept[column]], row) for column, weight, row in found if weight > 0)


def counted(words: Sequence[int | None]) -> list[int]:
    return sorted({word for word in words if word is not None})


def words_at(text: str, ends: Sequence[int | None]) -> tuple[int | None, ...]:
    """The number of the word in which each token ends, given how many characters of the text are read by then."""
    numbers, count, outside = [-1], -1, True
    for letter in text:
        count += outside and not letter.isspace()
        outside = letter.isspace()
        numbers.append(count)
    return tuple(None if end is None or numbers[end] < 0 else numbers[end] for end in ends)


def texts_at(text: str, ends: Sequence[int | None], tokens: Sequence[str]) -> tuple[str, ...]:
    """The letters of the text that each token adds to those before it; its name where it adds none."""
    found, begin = [], 0
    for end, token in zip(ends, tokens, strict=True):
        found.append((text[begin:end].strip() if end is not None else "") or token)
        begin = begin if end is None else max(begin, end)
    return tuple(found)
