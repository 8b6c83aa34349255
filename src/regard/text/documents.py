"""A text of some format, opened: what there is to translate, and how it is put together again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from regard.text.segments import Document, Segment


def join_parts(parts: Sequence[str]) -> str:
    """What a plain document is made of, end to end."""
    return "".join(parts)


@dataclass(frozen=True)
class OpenDocument:
    """The parts of a document: segments, and what stands between them. `build` makes the document of as many strings as
    there are parts: strings as they are, segments as they are spelled with their marks."""

    parts: Document
    build: Callable[[Sequence[str]], str | bytes] = join_parts

    @property
    def segments(self) -> list[Segment]:
        """What there is to translate."""
        return [part for part in self.parts if isinstance(part, Segment) and part.has_words]

    def with_texts(self, spell: Callable[[Segment], str]) -> str | bytes:
        """The document with what `spell` makes of each of the segments, which are asked for in their order."""
        return self.build(
            [
                part if isinstance(part, str) else spell(part) if part.has_words else part.unchanged
                for part in self.parts
            ]
        )
