"""Terms and what they are called in another language, from a table of two columns."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from regard.text.lines import DataError, read_lines


@dataclass(frozen=True)
class Glossary:
    """Source terms and their target terms. A term in small letters is also known where it begins a sentence."""

    terms: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str | Path) -> "Glossary":
        """A file with a source term, a tab and a target term a line; empty lines and those after # are skipped."""
        terms: dict[str, str] = {}
        for number, line in enumerate(read_lines(path), 1):
            line = line.removesuffix("\r")
            if not line.strip() or line.startswith("#"):
                continue
            source, _, target = (part.strip() for part in line.partition("\t"))
            if not (source and target) or "\t" in target:
                raise DataError(f"{path}:{number}: a source term, a tab and a target term expected, got {line[:80]!r}")
            if terms.setdefault(source, target) != target:
                raise DataError(f"{path}:{number}: {source!r} is {terms[source]!r} further above, here {target!r}")
        return cls(terms)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Every term as a whole word, the longest first."""
        terms = sorted(map(re.escape, self.names), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(terms)})(?!\w)")

    @cached_property
    def names(self) -> dict[str, str]:
        """The terms as they may be written."""
        large = {term[:1].upper() + term[1:]: target for term, target in self.terms.items()}
        return large | dict(self.terms)

    def matches(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where terms stand in a text, and what stands for them in the other language."""
        if self.terms:
            yield from ((*match.span(), self.names[match[0]]) for match in self.pattern.finditer(text))
