"""XML in which some elements get other contents: whatever is not translated stays as it is, to the letter."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from xml.parsers import expat

from regard.errors import RegardError
from regard.text.segments import Document, Segment, SegmentBuilder, escape_text

TAG = re.compile(
    r"""<(?P<end>/?)(?P<name>[^\s<>/!?]+)(?:[^<>"']|"[^"]*"|'[^']*')*?(?P<alone>/?)>|<!--.*?-->|<\?.*?\?>""", re.DOTALL
)


class FormatError(RegardError, ValueError):
    """A file that is not of the format that its name says."""


@dataclass
class Element:
    """An element, and where it stands: its tags from `begin` to `end`, its contents within."""

    name: str
    attributes: dict[str, str]
    begin: int
    inside: int = 0
    until: int = 0
    end: int = 0
    children: "list[Element]" = field(default_factory=list)

    def child(self, name: str) -> "Element | None":
        """The first child of this name."""
        return next((child for child in self.children if child.name == name), None)

    def all(self, *names: str) -> "Iterator[Element]":
        """All elements of these names within, none within another."""
        for child in self.children:
            if child.name in names:
                yield child
            else:
                yield from child.all(*names)

    @property
    def is_alone(self) -> bool:
        """Whether one tag is all of it."""
        return self.inside == self.until == self.end


def local_name(name: str) -> str:
    """A name without what says where it comes from."""
    return name.rpartition(":")[2]


def read_tree(text: str) -> Element:
    """The elements of a text of XML; positions are in letters. Nothing is loaded from elsewhere, and a text that
    declares entities of its own is refused."""
    data = text.encode()
    root = Element("", {}, 0)
    around = [root]
    parser = expat.ParserCreate("UTF-8")
    last = [0, 0]

    def here() -> int:
        position = parser.CurrentByteIndex
        last[1] += len(data[last[0] : position].decode())
        last[0] = position
        return last[1]

    def start(name: str, attributes: dict[str, str]) -> None:
        element = Element(local_name(name), {local_name(key): value for key, value in attributes.items()}, here())
        match = TAG.match(text, element.begin)
        if match is None:
            raise FormatError(f"XML expected, got {text[element.begin : element.begin + 40]!r}")
        element.inside = element.until = element.end = match.end()
        around[-1].children.append(element)
        around.append(element)

    def end(name: str) -> None:
        element, position = around.pop(), here()
        if not text.endswith("/>", element.begin, element.inside):  # which has no end of its own
            element.until, element.end = position, text.index(">", position) + 1

    def refuse(*_: object) -> None:
        raise FormatError("XML that declares entities is not read")

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as problem:
        raise FormatError(f"XML expected: {problem}") from None
    return root


def inline_segment(inner: str, kept: frozenset[str]) -> Segment | None:
    """The contents of an element as a segment: elements of these names are kept whole, others go with their words. None
    where there is something that cannot be taken apart."""
    if "<![CDATA[" in inner:
        return None
    builder = SegmentBuilder(is_plain=True)
    tags = list(TAG.finditer(inner))
    at, depth, begin = 0, 0, 0
    opened: list[str] = []
    kept_name = ""
    for tag in tags:
        if not depth:
            builder.write(unescape(inner[at : tag.start()]), keep=True)
        at = tag.end()
        name = local_name(tag["name"] or "")
        if depth:
            depth += (name == kept_name) * (-1 if tag["end"] else 0 if tag["alone"] else 1)
            if not depth:
                builder.keep(inner[begin:at])
        elif not tag["name"] or tag["alone"] or name in kept:
            if tag["name"] and not tag["alone"] and not tag["end"]:
                depth, begin, kept_name = 1, tag.start(), name
            else:
                builder.keep(tag[0])
        elif tag["end"]:
            if not opened or opened.pop() != name:
                return None
            builder.close()
        else:
            builder.open(tag[0], f"</{tag['name']}>")
            opened.append(name)
    if depth or opened:
        return None
    builder.write(unescape(inner[at:]), keep=True)
    segment = builder.build()
    return Segment(
        segment.text, segment.marks, escape_text(segment.lead), escape_text(segment.trail), segment.objects, escape_text
    )


def splice(text: str, changes: Sequence[tuple[int, int, Document]]) -> Document:
    """A text with other parts from here to there, in order and apart."""
    parts: Document = []
    at = 0
    for begin, end, new in changes:
        parts += [text[at:begin], *new]
        at = end
    return [*parts, text[at:]]
