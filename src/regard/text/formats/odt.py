"""Texts of OpenDocument: the paragraphs of content.xml and styles.xml; all else in the archive stays as it is."""

import io
import zipfile
from collections.abc import Sequence
from functools import partial

from regard.text.documents import OpenDocument
from regard.text.formats.spliced_xml import Element, FormatError, inline_segment, read_tree, splice
from regard.text.segments import Document

KEPT = frozenset(
    {
        "s", "tab", "line-break", "frame", "note", "annotation", "annotation-end", "bookmark", "bookmark-start",
        "bookmark-end", "page-number", "page-count", "date", "time", "sequence", "reference-mark", "image", "object",
        "custom-shape", "soft-page-break", "bookmark-ref", "user-defined", "variable-get", "variable-set", "ruby",
    }
)  # fmt: skip
"""What stands in a paragraph and is not its text."""
MEMBERS = ("content.xml", "styles.xml")
LARGEST = 256 << 20


def read_odt(data: bytes) -> OpenDocument:
    """The paragraphs and headings of a text."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            sizes = [member.file_size for member in archive.infolist()]
            if sum(sizes) > LARGEST:
                raise FormatError(f"an OpenDocument text of at most {LARGEST >> 20} MiB unpacked expected")
            members = [(member, archive.read(member)) for member in archive.infolist()]
    except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, NotImplementedError, EOFError) as problem:
        raise FormatError(f"an OpenDocument text expected: {problem}") from None
    parts: Document = []
    lengths: dict[str, int] = {}
    for member, content in members:
        if member.filename in MEMBERS:
            member_parts = paragraphs(content)
            lengths[member.filename] = len(member_parts)
            parts += member_parts
    if MEMBERS[0] not in lengths:
        raise FormatError("an OpenDocument text expected, got an archive without content.xml")
    return OpenDocument(parts, partial(build_odt, members, lengths))


def paragraphs(content: bytes) -> Document:
    """The parts of a member: paragraphs, and what is between them."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise FormatError("an OpenDocument text in UTF-8 expected") from None
    changes: list[tuple[int, int, Document]] = []
    for paragraph in innermost(read_tree(text)):
        segment = inline_segment(text[paragraph.inside : paragraph.until], KEPT)
        if segment is not None and segment.has_words:
            changes.append((paragraph.inside, paragraph.until, [segment]))
    return splice(text, changes)


def innermost(element: Element) -> list[Element]:
    """Paragraphs and headings that hold no others."""
    inner = [paragraph for child in element.children for paragraph in innermost(child)]
    return inner or ([element] if element.name in ("p", "h") else [])


def build_odt(
    members: Sequence[tuple[zipfile.ZipInfo, bytes]], lengths: dict[str, int], strings: Sequence[str]
) -> bytes:
    """The archive with other paragraphs, its members in their order."""
    result = io.BytesIO()
    at = 0
    with zipfile.ZipFile(result, "w") as archive:
        for member, content in members:
            if member.filename in lengths:
                content = "".join(strings[at : at + lengths[member.filename]]).encode()
                at += lengths[member.filename]
            archive.writestr(member, content, compress_type=member.compress_type)
    return result.getvalue()
