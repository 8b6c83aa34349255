"""Texts with tags in them, taken apart so that the words can be translated, and put together again.

Nothing is trusted: whatever comes in, each tag goes out once, and each that was opened is closed in its turn. Tags that
cross are mended (`<b><i></b></i>` becomes `<b><i></i></b>`), a tag that nobody closes is closed where the one around it
ends, and one that closes nothing is left out.
"""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape, unescape

VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"'=<>`]++)"""
# Atomic groups, not (...)*+: what that matches is wrong before Python 3.11.5 (python/cpython#106052).
ATTRIBUTES = rf"""(?>(?:[\s/](?>(?:[\s/]++|[^\s"'<>/=]++(?>(?:\s*+=\s*+{VALUE})?))*))?)"""
TAGS = re.compile(
    rf"""(?P<aside><!--(?!-?>)(?>(?:(?!--\s*!?>|<!--).)*)-->|<!\[CDATA\[[^<>]*\]\]>|<![A-Za-z][^<>]*>|<\?[^<>]*>)
    |(?P<raw><(?P<code>script|style){ATTRIBUTES}>(?>(?:(?!</?(?P=code)[\s/>]).)*)</(?P=code)\s*>)
    |</(?P<end>[A-Za-z][\w:.-]*)[^<>]*>
    |<(?P<start>[A-Za-z][\w:.-]*)(?P<attributes>{ATTRIBUTES})>""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
UNQUOTED = re.compile(r"""=\s*[^\s"'=]*/$""")  # a slash that ends a value does not end the element
EMPTY = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
}  # fmt: skip
"""Tags that hold nothing and need no end."""
BREAKS = {
    "address", "article", "aside", "base", "blockquote", "body", "br", "button", "caption", "col", "colgroup", "dd",
    "details", "dialog", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
    "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "legend", "li", "link", "main", "menu", "meta", "nav",
    "ol", "optgroup", "option", "p", "pre", "section", "select", "summary", "table", "tbody", "td", "textarea",
    "tfoot", "th", "thead", "title", "tr", "ul",
}  # fmt: skip
"""Tags that no sentence goes across."""
SIBLINGS = {
    "li": {"li"}, "p": {"p"}, "option": {"option", "optgroup"}, "tr": {"tr"}, "td": {"td", "th", "tr"},
    "th": {"td", "th", "tr"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"},
}  # fmt: skip
"""Tags that may be left open, and those that close them."""
KEEPS_SPACE = {"pre", "textarea"}
SPACE = re.compile(r"[ \t\n\r\f]+")
WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and ideographs: no spaces stand between words
UNITS = re.compile(rf"[{WIDE}]|[^\W{WIDE}]+|[^\w\s]")


@dataclass(frozen=True)
class Mark:
    """What goes around some letters of a text, from `begin` to `end`; at one place, where they are the same.

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

    `lead` and `trail` are the white space around it.
    """

    text: str
    marks: tuple[Mark, ...] = ()
    lead: str = ""
    trail: str = ""

    def marked(self, text: str, places: Sequence[tuple[int, int]]) -> str:
        """Another text in its place, the marks around these letters of it: children within parents, none crossing."""
        inside: dict[int, list[int]] = {}
        for number, mark in enumerate(self.marks):
            inside.setdefault(mark.parent, []).append(number)
        for children in inside.values():
            children.sort(key=lambda number: (*places[number], number), reverse=True)
        found, at = [], 0
        waiting = [(number, False) for number in inside.get(-1, [])]
        while waiting:
            number, is_open = waiting.pop()
            until = places[number][is_open]
            found.append(escape(text[at:until], quote=False))
            at = max(at, until)
            if is_open:
                found.append(self.marks[number].after)
            else:
                found.append(self.marks[number].before)
                waiting += [(number, True), *((child, False) for child in inside.get(number, []))]
        return self.lead + "".join(found) + escape(text[at:], quote=False) + self.trail


Document = list[str | Segment]
"""Segments, and what stands between them as it is."""


@dataclass(frozen=True)
class MarkupToken:
    """A piece of the input: text, a tag that opens or closes, or what is kept as it is."""

    kind: str
    raw: str
    name: str = ""


def html(text: str) -> Document:
    """The segments of a text with HTML tags; entities become the letters that they stand for."""
    tokens = list(tokenised(text))
    return segmented(tokens, nested(tokens))


MARKUPS = {"html": html}
"""How texts are marked up."""


def units(text: str) -> list[tuple[int, int]]:
    """Where the words and the punctuation marks of a text stand."""
    return [found.span() for found in UNITS.finditer(text)]


def tokenised(text: str) -> Iterator[MarkupToken]:
    """Text and tags in turn. What only looks like a tag is text."""
    at = 0
    for found in TAGS.finditer(text):
        if found.start() > at:
            yield MarkupToken("text", text[at : found.start()])
        at = found.end()
        name = (found["end"] or found["start"] or found["code"] or "").lower()
        if found["start"] is None:
            yield MarkupToken("end" if found["end"] else "aside", found[0], name)
        else:
            attributes = found["attributes"]
            is_alone = name in EMPTY or (attributes.endswith("/") and not UNQUOTED.search(attributes))
            yield MarkupToken("alone" if is_alone else "start", found[0], name)
    if at < len(text):
        yield MarkupToken("text", text[at:])


def nested(tokens: Sequence[MarkupToken]) -> dict[int, int]:
    """For each tag that opens, the place before which its element ends: none of them cross."""
    ends = paired(tokens)
    around: list[int] = []
    for start in sorted(ends):
        while around and ends[around[-1]] <= start:
            around.pop()
        for outer in reversed(around):
            if ends[outer] >= ends[start]:
                break
            ends[outer] = ends[start]
        around.append(start)
    return ends


def paired(tokens: Sequence[MarkupToken]) -> dict[int, int]:
    """For each tag that opens, where it is closed: by the next tag of its name, else by what is around it."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        if token.kind == "start":
            opened.setdefault(token.name, []).append(place)
        elif token.kind == "end" and opened.get(token.name):
            ends[opened[token.name].pop()] = place
    left = sorted(place for places in opened.values() for place in places)
    enclosing: list[int] = []
    matched = sorted(ends.items(), reverse=True)
    following: dict[str, list[int]] = {}
    for place in reversed(range(len(tokens))):
        if tokens[place].kind == "start":
            following.setdefault(tokens[place].name, []).append(place)
    for place in left:
        while matched and matched[-1][0] < place:
            heapq.heappush(enclosing, matched.pop()[1])
        while enclosing and enclosing[0] < place:
            heapq.heappop(enclosing)
        until = enclosing[0] if enclosing else len(tokens)
        for name in SIBLINGS.get(tokens[place].name, ()):
            later = following.get(name, [])
            while later and later[-1] <= place:
                later.pop()
            until = min(until, later[-1]) if later else until
        ends[place] = until
    return ends


def segmented(tokens: Sequence[MarkupToken], ends: dict[int, int]) -> Document:
    """The tokens as segments, and as what stands between them: elements that no sentence goes across."""
    broken = breaking(tokens, ends)
    document: Document = []
    segment = SegmentBuilder()
    around: list[int] = []
    spaced = 0

    def flush() -> None:
        nonlocal segment
        document.extend([segment.built()] if segment.text or segment.marks else [])
        segment = SegmentBuilder()

    def close(until: int) -> None:
        nonlocal spaced
        while around and ends[around[-1]] <= until:
            start = around.pop()
            spaced -= tokens[start].name in KEEPS_SPACE
            if start in broken:
                flush()
                document.append(closing(tokens[start]))
            else:
                segment.close()

    for place, token in enumerate(tokens):
        close(place)
        if token.kind == "text":
            segment.write(unescape(token.raw), keep=spaced > 0)
        elif place in broken:
            flush()
            document.append(token.raw)
        elif token.kind == "start":
            segment.open(token.raw, closing(token))
        elif token.kind != "end":
            segment.point(token.raw)
        if token.kind == "start":
            around.append(place)
            spaced += token.name in KEEPS_SPACE
    close(len(tokens))
    flush()
    return document


def closing(token: MarkupToken) -> str:
    """The tag that closes an element, its name spelled as where it was opened."""
    return f"</{token.raw[1 : 1 + len(token.name)]}>"


def breaking(tokens: Sequence[MarkupToken], ends: dict[int, int]) -> set[int]:
    """The tags that no sentence goes across: breaks, and all elements around one."""
    found: set[int] = set()
    around: list[int] = []
    for place, token in enumerate(tokens):
        while around and ends[around[-1]] <= place:
            around.pop()
        is_break = token.kind in ("start", "alone") and token.name in BREAKS
        if is_break or (token.kind == "aside" and not token.raw.startswith("<!--")):
            found.add(place)
            for outer in reversed(around):
                if outer in found:
                    break
                found.add(outer)
        if token.kind == "start":
            around.append(place)
    return found


class SegmentBuilder:
    """A segment that grows from left to right."""

    def __init__(self) -> None:
        self.text = ""
        self.marks: list[Mark] = []
        self.around: list[int] = []

    def write(self, text: str, keep: bool) -> None:
        """More text; white space is one space, unless it is to be kept."""
        if not keep:
            text = SPACE.sub(" ", text)
            text = text.removeprefix(" ") if self.text.endswith(" ") else text
        self.text += text

    def open(self, before: str, after: str) -> None:
        self.mark(before, after)
        self.around.append(len(self.marks) - 1)

    def point(self, raw: str) -> None:
        self.mark(raw, "")

    def mark(self, before: str, after: str) -> None:
        parent = self.around[-1] if self.around else -1
        self.marks.append(Mark(before, after, len(self.text), len(self.text), parent))

    def close(self) -> None:
        number = self.around.pop()
        self.marks[number] = replace(self.marks[number], end=len(self.text))

    def built(self) -> Segment:
        """The segment, without the white space around it."""
        text = self.text.strip()
        lead = len(self.text) - len(self.text.lstrip()) if text else len(self.text)

        def within(place: int) -> int:
            return min(max(place - lead, 0), len(text))

        marks = tuple(replace(mark, begin=within(mark.begin), end=within(mark.end)) for mark in self.marks)
        return Segment(text, marks, escape(self.text[:lead], quote=False), escape(self.text[lead + len(text) :]))
