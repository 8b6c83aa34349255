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
        counts = [self.texts.count(0), self.texts.count(1)]
        for _ in range(len(self) - length):
            counts[counts[1] > counts[0]] -= 1
        positions: list[int] = []
        for position, text in enumerate(self.texts):
            if text is not None:
                counts[text] -= 1
            if text is None or counts[text] >= 0:
                positions.append(position)
        return self.take(positions)

    def take(self, positions: Iterable[int]) -> "Encoded":
        """The tokens at these positions."""
        positions = list(positions)
        return Encoded(*(tuple(values[position] for position in positions) for values in vars(self).values()))
