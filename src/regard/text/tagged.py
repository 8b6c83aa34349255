"""Texts with a tag for some of their words."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from regard.text.corpora import TabbedCorpus
from regard.text.lines import DataError

NO_TAG = "-"
"""The tag of a word that nobody asks for."""


@dataclass(frozen=True)
class TaggedCorpus:
    """text<TAB>tags: a tag for every word, as words are divided by spaces; "-" for those that have none."""

    path: str | Path

    @property
    def columns(self) -> tuple[str, ...]:
        return ("text", "tags")

    @property
    def files(self) -> tuple[Path, ...]:
        return (Path(self.path),)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for number, (text, tags) in enumerate(TabbedCorpus(self.path)):
            counts = len(text.split()), len(tags.split())
            if counts[0] != counts[1]:
                raise DataError(f"{self.location(number)}: {counts[0]} words and {counts[1]} tags, one each expected")
            yield text, tags

    def location(self, sample: int) -> str:
        return f"{self.path}:{sample + 1}"

    def tags(self) -> tuple[str, ...]:
        """The tags that occur, in order: what a model's outputs mean. Goes through the file."""
        return tuple(sorted({tag for _, tags in self for tag in tags.split()} - {NO_TAG}))
