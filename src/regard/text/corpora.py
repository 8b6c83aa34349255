"""Corpora: files that give the same samples each time they are gone through, in the order of the files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Protocol, runtime_checkable

from regard.text.lines import DataError, read_lines


@runtime_checkable
class Corpus(Protocol):
    """Samples, each of one text or several. `files` are all that they depend on, `columns` the texts of a sample."""

    @property
    def files(self) -> tuple[Path, ...]: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def __iter__(self) -> Iterator[tuple[str, ...]]: ...

    def location(self, sample: int) -> str:
        """Where a sample stands, counted from 0: file:line."""
        ...


@dataclass(frozen=True)
class PlainCorpus:
    """One text a line. With `ends` each keeps its "\\n", as a language model wants it: joined they are the file."""

    path: str | Path
    line_ends: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return ("text",)

    @property
    def files(self) -> tuple[Path, ...]:
        return (Path(self.path),)

    def __iter__(self) -> Iterator[tuple[str]]:
        return ((line,) for line in read_lines(self.path, ends=self.line_ends))

    def location(self, sample: int) -> str:
        return f"{self.path}:{sample + 1}"


@dataclass(frozen=True)
class ParallelCorpus:
    """Line n of one file belongs to line n of another; files of unequal length are an error."""

    source: str | Path
    target: str | Path

    @property
    def columns(self) -> tuple[str, ...]:
        return ("source", "target")

    @property
    def files(self) -> tuple[Path, ...]:
        return Path(self.source), Path(self.target)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        sides, counts = (read_lines(self.source), read_lines(self.target)), [0, 0]
        while True:
            pair = [next(side, None) for side in sides]
            for index, text in enumerate(pair):
                counts[index] += text is not None
            source, target = pair
            if source is None or target is None:
                break
            yield source, target
        if counts[0] != counts[1]:
            longer = counts.index(max(counts))
            first = min(counts) + 1
            counts[longer] += sum(1 for _ in sides[longer])
            line_counts = f"{self.files[0]} has {counts[0]} lines, {self.files[1]} has {counts[1]}"
            raise DataError(f"{self.files[longer]}:{first}: no line to go with it: {line_counts}")

    def location(self, sample: int) -> str:
        return f"{self.source}:{sample + 1}"


@dataclass(frozen=True)
class TabbedCorpus:
    """A pair a line, a tab between the two; no tab or a second one is an error."""

    path: str | Path

    @property
    def columns(self) -> tuple[str, ...]:
        return ("source", "target")

    @property
    def files(self) -> tuple[Path, ...]:
        return (Path(self.path),)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for number, line in enumerate(read_lines(self.path)):
            columns = line.split("\t")
            if len(columns) != 2:
                raise DataError(
                    f"{self.location(number)}: {len(columns)} columns; two texts expected, a tab between them"
                )
            yield columns[0], columns[1]

    def location(self, sample: int) -> str:
        return f"{self.path}:{sample + 1}"


@dataclass(frozen=True)
class SwappedCorpus:
    """The same pairs the other way round."""

    pairs: ParallelCorpus | TabbedCorpus

    @property
    def columns(self) -> tuple[str, ...]:
        return ("source", "target")

    @property
    def files(self) -> tuple[Path, ...]:
        return self.pairs.files

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((target, source) for source, target in self.pairs)

    def location(self, sample: int) -> str:
        return self.pairs.location(sample)


@dataclass(frozen=True)
class PrefixedCorpus:
    """The same pairs with some words before every source."""

    pairs: ParallelCorpus | TabbedCorpus | SwappedCorpus
    prefix: str

    @property
    def columns(self) -> tuple[str, ...]:
        return ("source", "target")

    @property
    def files(self) -> tuple[Path, ...]:
        return self.pairs.files

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((f"{self.prefix} {source}" if source.strip() else source, target) for source, target in self.pairs)

    def location(self, sample: int) -> str:
        return self.pairs.location(sample)


@dataclass(frozen=True)
class JoinedTexts:
    """Texts of one source after those of another, as often as they are asked for."""

    parts: Sequence[Iterable[str]]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.parts)


def pairs(files: Sequence[str | Path]) -> ParallelCorpus | TabbedCorpus:
    """Two parallel files, or one with a tab in each line."""
    if len(files) == 2:
        return ParallelCorpus(Path(files[0]), Path(files[1]))
    if len(files) == 1:
        return TabbedCorpus(Path(files[0]))
    raise DataError(f"two parallel files or one .tsv expected, got {len(files)} files")


@dataclass(frozen=True)
class ColumnTexts:
    """The texts of one column or of several, as a tokeniser learns from them."""

    corpus: Corpus
    columns: tuple[str, ...]

    def __iter__(self) -> Iterator[str]:
        indices = [self.corpus.columns.index(name) for name in self.columns]
        for sample in self.corpus:
            for index in indices:
                yield sample[index]
