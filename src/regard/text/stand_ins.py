"""Words that stand in for protected spans while a text is translated: names and numbers that languages share.

A model that never met %s writes anything for it; nearly every one writes Anna for Anna and 37 for 37.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from regard.text.spans import ProtectedSpan

NAMES = ("Anna", "Peter", "Maria", "Martin", "Emma", "Paul", "Boston", "Berlin", "Lisa", "Oliver", "Laura", "Oslo")
NUMBERS = ("37", "58", "64", "29", "83", "46", "71", "92", "53", "68", "94", "26")
StandInKind = Literal["names", "numbers"]
GENITIVE = re.compile(r"['’]s?\b")


@dataclass(frozen=True)
class Substitution:
    """Letters of one text, from `begin` to `end`, for which `text` stands in another."""

    begin: int
    end: int
    text: str


@dataclass(frozen=True)
class ChangedText:
    """A text with changes, which are in order and apart; where each letter went."""

    source: str
    changes: tuple[Substitution, ...]

    @property
    def text(self) -> str:
        return "".join(self.parts())

    def parts(self) -> Iterator[str]:
        """What stood there and what was put there, in turn."""
        at = 0
        for change in self.changes:
            yield self.source[at : change.begin]
            yield change.text
            at = change.end
        yield self.source[at:]

    def position(self, position: int) -> int:
        """How many letters of the new text there are where so many of the old one were; a change is there at once."""
        offset = 0
        for change in self.changes:
            if position <= change.begin:
                break
            offset += len(change.text) - (min(change.end, position) - change.begin)
        return position + offset

    def back(self) -> "ChangedText":
        """From the new text to the old one."""
        changes, offset = [], 0
        for change in self.changes:
            begin = change.begin + offset
            changes.append(Substitution(begin, begin + len(change.text), self.source[change.begin : change.end]))
            offset += len(change.text) - (change.end - change.begin)
        return ChangedText(self.text, tuple(changes))


@dataclass(frozen=True)
class MaskedText:
    """A text with a stand-in for each span."""

    changed: ChangedText
    spans: tuple[ProtectedSpan, ...]

    @property
    def text(self) -> str:
        """What a model reads."""
        return self.changed.text

    def restore(self, target: str) -> ChangedText | None:
        """The spans where their stand-ins are in a translation; None unless each is there once, those that only their
        order tells apart in that order."""
        changes: list[tuple[Substitution, ProtectedSpan]] = []
        for span, change in zip(self.spans, self.changed.changes, strict=True):
            source = self.changed.source
            has_genitive = GENITIVE.match(source, span.end) is not None and not span.is_number
            before = r"(?<![\w-])" if source[: span.begin][-1:] != "-" else r"(?<!\w)"
            after = (
                r"(?=['’]?s?(?!\w))" if has_genitive else r"(?!\w)" if source[span.end :][:1] == "-" else r"(?![\w-])"
            )
            places = list(re.finditer(f"{before}{change.text}{after}", target, re.IGNORECASE))
            if len(places) != 1 or len(re.findall(change.text, target, re.IGNORECASE)) != 1:
                return None
            changes.append((Substitution(*places[0].span(), span.target), span))
        ordered = [change.begin for change, span in changes if span.is_ordered]
        if ordered != sorted(ordered):
            return None
        return ChangedText(target, tuple(sorted((change for change, _ in changes), key=lambda change: change.begin)))


def mask_spans(
    text: str,
    spans: Sequence[ProtectedSpan],
    *,
    only: StandInKind | None = None,
    change_text: Callable[[str], str] = str,
) -> MaskedText | None:
    """The text with stand-ins, numbers for what reads as a number, or `only` ones of a kind; None where there are more
    spans than stand-ins.

    `change_text` changes what stands between them, and leaves it as long as it is.
    """
    around = text.casefold()
    names, numbers = ([word for word in words if word.casefold() not in around] for words in (NAMES, NUMBERS))
    halves = {None: names, "names": names[len(names) // 2 :] + names[: len(names) // 2], "numbers": numbers}
    stand_ins = iter(halves[only])  # others than before, where it is tried again
    figures = stand_ins if only else iter(numbers)
    words = [next(figures if span.is_number else stand_ins, "") for span in spans]
    if not all(words):
        return None
    changes = [Substitution(span.begin, span.end, word) for span, word in zip(spans, words, strict=True)]
    return MaskedText(ChangedText(change_text(text), tuple(changes)), tuple(spans))


def between_spans(text: str, spans: Sequence[ProtectedSpan]) -> list[tuple[str, str]]:
    """The text between spans in pieces of words, each with what follows it up to the next: spans and signs, as they are
    to stand in a translation."""
    pieces: list[tuple[str, str]] = []
    end = 0
    for span in (*spans, ProtectedSpan(len(text), len(text), "")):
        words = text[end : span.begin]
        is_last = span.begin == len(text)
        core = words.strip() if any(map(str.isalpha, words)) else ""
        begin = 0
        while core and not (core[begin].isalnum() or core[begin] in "¿¡"):
            begin += 1
        core = core[begin:] if end else core
        while core and not is_last and not core[-1].isalnum():
            core = core[:-1]
        lead = words[: words.index(core)] if core else words
        trail = words[len(lead) + len(core) :] if core else ""
        if pieces:
            pieces[-1] = pieces[-1][0], pieces[-1][1] + lead
        elif lead:
            pieces.append(("", lead))
        pieces += [(core, trail)] if core else []
        pieces = pieces or [("", "")]
        pieces[-1] = pieces[-1][0], pieces[-1][1] + span.target
        end = span.end
    return pieces
