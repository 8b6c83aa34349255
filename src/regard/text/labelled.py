"""Texts with a label each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from regard.errors import lookup
from regard.text.lines import DataError, read_lines


def label_first(line: str) -> tuple[str, str]:
    """label<TAB>text"""
    label, _, text = line.partition("\t")
    return label, text


def label_last(line: str) -> tuple[str, str]:
    """text<TAB>label"""
    text, _, label = line.rpartition("\t")
    return label, text


def label_word(line: str) -> tuple[str, str]:
    """label<SPACE>text"""
    label, _, text = line.partition(" ")
    return label, text


def coarse_label(line: str) -> tuple[str, str]:
    """label:finer<SPACE>text"""
    label, text = label_word(line)
    return label.partition(":")[0], text


LAYOUTS: dict[str, Callable[[str], tuple[str, str]]] = {
    "first": label_first,
    "last": label_last,
    "word": label_word,
    "coarse": coarse_label,
}
"""Where a line has its label."""


@dataclass(frozen=True)
class LabelledCorpus:
    """One text a line, and its label in the same line: see LAYOUTS. A line without both is an error."""

    path: str | Path
    layout: str = "first"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("label", "text")

    @property
    def files(self) -> tuple[Path, ...]:
        return (Path(self.path),)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        split = lookup(LAYOUTS, self.layout, "place of a label")
        for number, line in enumerate(read_lines(self.path)):
            label, text = split(line)
            if not label.strip() or not text.strip():
                raise DataError(f"{self.location(number)}: {split.__doc__} expected, got {line[:60]!r}")
            yield label, text

    def location(self, sample: int) -> str:
        return f"{self.path}:{sample + 1}"

    def labels(self) -> tuple[str, ...]:
        """The labels that occur, in order: what a model's outputs mean. Goes through the file."""
        return tuple(sorted({label for label, _ in self}))
