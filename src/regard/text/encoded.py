"""A text as a model reads it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Encoded:
    """Tokens, and where in the text each of them stands.

    `texts` says which text a token came from (0, or 1 in a pair; None if the tokeniser added it); `offsets` are
    positions in that text; `words` number its words; `segments` are what the model is told about the two texts.
    """

    ids: tuple[int, ...]
    tokens: tuple[str, ...]
    offsets: tuple[tuple[int, int], ...]
    words: tuple[int | None, ...]
    segments: tuple[int, ...]
    texts: tuple[int | None, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def cut(self, length: int) -> "Encoded":
        """The same without so many tokens at the end of the text, of the longer one in a pair, as are too many."""
        positions = list(range(len(self)))
        while len(positions) > length:
            texts = [self.texts[position] for position in positions]
            longer = max((0, 1), key=texts.count)
            if longer not in texts:
                break
            del positions[len(texts) - 1 - texts[::-1].index(longer)]
        return self.take(positions)

    def take(self, positions: Iterable[int]) -> "Encoded":
        """The tokens at these positions."""
        positions = list(positions)
        return Encoded(*(tuple(values[position] for position in positions) for values in vars(self).values()))
