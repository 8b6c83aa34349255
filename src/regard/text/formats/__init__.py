"""Formats of files that people have: one file each, and a line in a table."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

from regard.errors import lookup
from regard.text.documents import OpenDocument
from regard.text.formats.docx import read_docx
from regard.text.formats.html import read_html
from regard.text.formats.markdown import read_markdown
from regard.text.formats.odt import read_odt
from regard.text.formats.po import read_po
from regard.text.formats.spliced_xml import FormatError as FormatError
from regard.text.formats.subtitles import read_subtitles
from regard.text.formats.tmx import read_tmx
from regard.text.formats.xliff import read_xliff
from regard.text.markup import plain_tags


def read_tags(text: str) -> OpenDocument:
    """A text that is no page, but has tags in pairs."""
    return OpenDocument(plain_tags(text))


@dataclass(frozen=True)
class FileFormat:
    """A kind of files: how their names end, and what opens one. Those of text can be had as strings, too."""

    suffixes: tuple[str, ...]
    read_text: Callable[[str], OpenDocument] | None = None
    read_bytes: Callable[[bytes], OpenDocument] | None = None
    read_pair: Callable[[str, str, str], OpenDocument] | None = None

    def open(self, data: bytes, *, source_language: str = "", target_language: str = "") -> OpenDocument:
        """The document in a file; the languages are for formats that hold several."""
        if self.read_bytes is not None:
            return self.read_bytes(data)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as problem:
            raise FormatError(f"UTF-8 expected, got other bytes at {problem.start}") from None
        if self.read_pair is not None:
            return self.read_pair(text, source_language, target_language)
        assert self.read_text is not None
        return self.read_text(text)


FORMATS: dict[str, FileFormat] = {
    "html": FileFormat((".html", ".htm", ".xhtml"), read_html),
    "markdown": FileFormat((".md", ".markdown"), read_markdown),
    "srt": FileFormat((".srt",), read_subtitles),
    "vtt": FileFormat((".vtt",), read_subtitles),
    "po": FileFormat((".po", ".pot"), read_po),
    "xliff": FileFormat((".xlf", ".xliff"), read_xliff),
    "tmx": FileFormat((".tmx",), read_pair=read_tmx),
    "docx": FileFormat((".docx",), read_bytes=read_docx),
    "odt": FileFormat((".odt",), read_bytes=read_odt),
}
"""The formats of files; `text` is none of them: lines are."""
MARKUPS: dict[str, Callable[[str], OpenDocument]] = {
    name: kind.read_text for name, kind in FORMATS.items() if kind.read_text is not None
} | {"tags": read_tags}
"""How texts are marked up."""


def format_of(name: str) -> FileFormat | None:
    """The format of a file by the end of its name; None for lines of text."""
    suffix = PurePath(name).suffix.lower()
    return next((kind for kind in FORMATS.values() if suffix in kind.suffixes), None)


def format_named(name: str) -> FileFormat | None:
    """The format of this name; None for `text`."""
    return None if name == "text" else lookup(FORMATS, name, "format")
