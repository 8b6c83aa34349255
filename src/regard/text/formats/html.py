"""Pages: blocks, tags and white space between them stay; words and the attributes that people read are translated."""

import re
from collections.abc import Sequence
from html import escape, unescape

from regard.text.documents import OpenDocument
from regard.text.markup import html
from regard.text.segments import Segment

FIRST_ATTRIBUTE = 0x100000  # letters for private use, for the values of attributes
ATTRIBUTE = re.compile("[\U00100000-\U0010fffd]")
READ_BY_PEOPLE = (
    "alt",
    "title",
    "placeholder",
    "aria-label",
    "aria-description",
    "aria-placeholder",
    "label",
    "summary",
)
VALUES = re.compile(
    rf"""(?P<before>\s(?P<name>{"|".join(READ_BY_PEOPLE)}|content|value)\s*=\s*)"""
    r"""(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""",
    re.IGNORECASE,
)
DESCRIBES = re.compile(
    r"""<meta\b[^>]*\s(?:name|property)\s*=\s*["']?(?:description|keywords|(?:og|twitter):(?:title|description))\b""",
    re.IGNORECASE,
)
BUTTON = re.compile(
    r"""<input\b(?:[^>]*\stype\s*=\s*["']?(?:button|reset)\b|(?![^>]*\sname\s*=)[^>]*\stype\s*=\s*["']?submit\b)""",
    re.IGNORECASE,
)
"""What shows its value; one that has a name sends it, too."""
SAYS_NO = re.compile(r"""\stranslate\s*=\s*["']?no\b""", re.IGNORECASE)


def quote(text: str) -> str:
    return escape(text, quote=True)


class AttributeValues:
    """The values of attributes that people read, taken out of their tags."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []

    def take(self, tag: str) -> str:
        """A tag with a letter in the place of each value that is to be translated."""
        if SAYS_NO.search(tag) or ATTRIBUTE.search(tag):
            return tag

        def replace_value(match: re.Match[str]) -> str:
            name, value = match["name"].lower(), unescape(match["double"] or match["single"] or "")
            is_read = (
                name in READ_BY_PEOPLE
                or (name == "content" and DESCRIBES.match(tag))
                or (name == "value" and BUTTON.match(tag))
            )
            text = value.strip()
            if not is_read or not any(map(str.isalpha, text)) or len(self.segments) > 0xFFF0:
                return match[0]
            at = value.index(text)
            self.segments.append(
                Segment(text, lead=quote(value[:at]), trail=quote(value[at + len(text) :]), escape=quote)
            )
            return f'{match["before"]}"{chr(FIRST_ATTRIBUTE + len(self.segments) - 1)}"'

        return VALUES.sub(replace_value, tag)


def read_html(text: str) -> OpenDocument:
    """A page, or a part of one."""
    if ATTRIBUTE.search(text):
        return OpenDocument(html(text))
    attributes = AttributeValues()
    parts = html(text, change_tag=attributes.take)
    count = len(parts)

    def build(strings: Sequence[str]) -> str:
        values = strings[count:]
        return ATTRIBUTE.sub(lambda match: values[ord(match[0]) - FIRST_ATTRIBUTE], "".join(strings[:count]))

    return OpenDocument([*parts, *attributes.segments], build)
