"""Segments of a text: what is translated at once, with the marks in it, and how one is put together."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape

from regard.text.spans import FIRST_OBJECT, OBJECTS, SPANS

SPACE = re.compile(r"[ \t\n\r\f]+")
OBJECT = re.compile(SPANS["object"].pattern)


def escape_text(text: str) -> str:
    """Letters that would begin a tag or an entity, spelled as entities."""
    return escape(text, quote=False)


@dataclass(frozen=True)
class Mark:
    """What goes around some letters of a text, from `begin` to `end`; at one position, where they are the same.

    `parent` is the number of the mark around it among those of its segment, -1 for none; parents come first.
    """

    before: str
    after: str
    begin: int
    end: int
    parent: int = -1


@dataclass(frozen=True)
class Segment:
    """A stretch of text that no break interrupts, as it is read: no tags, one space where there is any white space.

    `lead` and `trail` are the white space around it, and what holds no words there. `objects` are what the letters from
    FIRST_OBJECT on stand for. `escape` spells letters as the format has to.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    lead: str = ""
    trail: str = ""
    objects: tuple[str, ...] = ()
    escape: Callable[[str], str] = escape_text

    @property
    def has_words(self) -> bool:
        """Whether there is something to translate."""
        return any(map(str.isalnum, self.text))

    @property
    def unchanged(self) -> str:
        """As it came."""
        return self.with_marks(self.text, [(mark.begin, mark.end) for mark in self.marks])

    def with_marks(self, text: str, spans: Sequence[tuple[int, int]]) -> str:
        """Another text in its place, the marks around these letters of it: children within parents, none crossing."""
        inside: dict[int, list[int]] = {}
        for number, mark in enumerate(self.marks):
            inside.setdefault(mark.parent, []).append(number)
        for children in inside.values():
            children.sort(key=lambda number: (*spans[number], number), reverse=True)
        pieces, at = [], 0
        waiting = [(number, False) for number in inside.get(-1, [])]
        while waiting:
            number, is_open = waiting.pop()
            until = spans[number][is_open]
            pieces.append(self.spell(text[at:until]))
            at = max(at, until)
            if is_open:
                pieces.append(self.marks[number].after)
            else:
                pieces.append(self.marks[number].before)
                waiting += [(number, True), *((child, False) for child in inside.get(number, []))]
        return self.lead + "".join(pieces) + self.spell(text[at:]) + self.trail

    def spell(self, text: str) -> str:
        """Letters as the format has them, and what is kept whole."""
        spelled = self.escape(text)
        return OBJECT.sub(lambda match: self.object(ord(match[0]) - FIRST_OBJECT), spelled) if self.objects else spelled

    def object(self, number: int) -> str:
        return self.objects[number] if number < len(self.objects) else ""


Document = list[str | Segment]
"""Segments, and what stands between them as it is."""


class SegmentBuilder:
    """A segment that grows from left to right. With `keeps_edges`, white space around what holds no words, as a picture
    does, stays where it is."""

    def __init__(self, is_plain: bool = False, *, keeps_edges: bool = False) -> None:
        self.is_plain = is_plain
        self.keeps_edges = keeps_edges
        self.text: str = ""
        self.lead: str = ""  # the white space before it, and that after it, as it came
        self.trail: str = ""
        self.marks: list[Mark] = []
        self.around: list[int] = []
        self.objects: list[str] = []
        self.trails: dict[int, int] = {}  # how much white space there was after the text, when a mark came

    def write(self, text: str, keep: bool) -> None:
        """More text; white space is one space, unless it is to be kept."""
        text = OBJECT.sub(lambda match: self.new_object(match[0]), text)
        self.count_space(text)
        if not keep:
            text = SPACE.sub(" ", text)
            if self.text.endswith(" ") and text.startswith(" "):
                self.space_after_last()
                text = text[1:]
        self.text += text

    def count_space(self, text: str) -> None:
        """Keep in mind what white space is before the text and after it."""
        inside = text.strip()
        if not self.text.strip():
            self.lead += text[: len(text) - len(text.lstrip())]
        if inside:
            self.trail = text[len(text.rstrip()) :]
        elif self.text.strip():
            self.trail += text

    def keep(self, raw: str) -> None:
        """Something that stays as it is."""
        self.text += self.new_object(raw)
        self.trail = ""

    def new_object(self, raw: str) -> str:
        self.objects.append(raw)
        return chr(FIRST_OBJECT + min(len(self.objects) - 1, OBJECTS))

    def open(self, before: str, after: str) -> None:
        self.mark(before, after)
        self.around.append(len(self.marks) - 1)

    def point(self, raw: str) -> None:
        self.mark(raw, "")
        self.lead_with_last()

    def mark(self, before: str, after: str) -> None:
        parent = self.around[-1] if self.around else -1
        self.trails[len(self.marks)] = len(self.trail)
        self.marks.append(Mark(before, after, len(self.text), len(self.text), parent))

    def close(self) -> None:
        number = self.around.pop()
        self.marks[number] = replace(self.marks[number], end=len(self.text))
        if number == len(self.marks) - 1:
            self.lead_with_last()

    def lead_with_last(self) -> None:
        """What holds nothing and stands before all words stays there."""
        mark = self.marks[-1]
        if (
            self.keeps_edges
            and len(self.marks) == 1
            and not self.text.strip()
            and mark.parent < 0
            and mark.begin == mark.end
        ):
            self.lead += mark.before + mark.after
            self.marks.pop()

    def space_after_last(self) -> None:
        """A space on either side of what holds nothing: the second goes with it."""
        mark = self.marks[-1] if self.keeps_edges and self.marks and len(self.marks) - 1 not in self.around else None
        if mark is not None and mark.begin == mark.end == len(self.text) and not mark.before.startswith("<!"):
            self.marks[-1] = replace(mark, after=mark.after.removesuffix(" ") + " ")

    def trail_with_last(self, end: int) -> None:
        """What holds nothing and stands behind all words stays there."""
        while (
            self.keeps_edges
            and self.marks
            and self.marks[-1].parent < 0
            and end <= self.marks[-1].begin == self.marks[-1].end
        ):
            at, mark = self.trails[len(self.marks) - 1], self.marks.pop()
            self.trail = self.trail[:at] + mark.before + mark.after.removesuffix(" ") + self.trail[at:]

    def build(self) -> Segment:
        """The segment, without the white space around it."""
        text = self.text.strip()
        if text:
            self.trail_with_last(len(self.text.rstrip()))
        lead = len(self.text) - len(self.text.lstrip()) if text else len(self.text)

        def within(index: int) -> int:
            return min(max(index - lead, 0), len(text))

        marks = tuple(replace(mark, begin=within(mark.begin), end=within(mark.end)) for mark in self.marks)
        spell = str if self.is_plain else escape_text
        return Segment(text, marks, self.lead, self.trail, tuple(self.objects), spell)
