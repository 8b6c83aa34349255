"""Texts of Word: paragraphs of the body, of tables, headers, footers and notes, each run with its words."""

import copy
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from regard.errors import RegardError
from regard.text.documents import OpenDocument
from regard.text.formats.spliced_xml import FormatError
from regard.text.segments import Document, Mark, Segment

FIRST, LAST = 0x100000, 0x10FFFD  # letters for private use: where a run begins, and where it ends
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
LARGEST = 256 << 20


@dataclass
class Stretch:
    """Runs of a paragraph that follow one another and hold text alone, those of like looks together."""

    groups: list[list[Any]]  # elements of lxml, which has no types
    base: int

    @property
    def text(self) -> str:
        return "".join(group_text(group) for group in self.groups)


def read_docx(data: bytes) -> OpenDocument:
    """All paragraphs with text."""
    try:
        from docx import Document as open_docx
        from docx.opc.exceptions import PackageNotFoundError
    except ImportError:
        raise RegardError('Word files need python-docx: pip install "regard[documents]"') from None
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST:
                raise FormatError(f"a Word file of at most {LARGEST >> 20} MiB unpacked expected")
        document = open_docx(io.BytesIO(data))
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError) as problem:
        if isinstance(problem, FormatError):
            raise
        raise FormatError(f"a Word file expected: {problem}") from None
    package: Any = document.part.package
    roots = [part.element for part in package.iter_parts() if hasattr(part, "element")]
    stretches = [stretch for root in roots for paragraph in root.iter(word("p")) for stretch in stretches_of(paragraph)]
    parts: Document = [segment_of(stretch) for stretch in stretches]

    def build(strings: Sequence[str]) -> bytes:
        for stretch, string in zip(stretches, strings, strict=True):
            if string != segment_of(stretch).unchanged:
                write_stretch(stretch, string)
        result = io.BytesIO()
        document.save(result)
        return result.getvalue()

    return OpenDocument(parts, build)


def word(name: str) -> str:
    """A name as lxml has it."""
    return f"{{http://schemas.openxmlformats.org/wordprocessingml/2006/main}}{name}"


def stretches_of(paragraph: Any) -> Iterator[Stretch]:
    """The text of a paragraph between what is no text: tabs, breaks, pictures, fields."""
    groups: list[list[Any]] = []
    field_depth = 0
    for child in [*paragraph, None]:
        starts = 0 if child is None else sum(1 for mark in child.iter(word("fldChar")) if is_field(mark, "begin"))
        ends = 0 if child is None else sum(1 for mark in child.iter(word("fldChar")) if is_field(mark, "end"))
        if child is not None and not field_depth and not starts and is_text(child):
            if groups and looks_of(groups[-1][-1]) == looks_of(child) and child.tag == word("r"):
                groups[-1].append(child)
            else:
                groups.append([child])
        elif child is None or child.tag not in (word("proofErr"), word("bookmarkStart"), word("bookmarkEnd")):
            if groups and any(map(str.isalpha, "".join(map(group_text, groups)))):
                runs = [number for number, group in enumerate(groups) if group[0].tag == word("r")]
                base = max(runs, key=lambda number: len(group_text(groups[number])), default=-1)
                yield Stretch(groups, base)
            groups = []
        field_depth += starts - ends


def is_field(mark: Any, kind: str) -> bool:
    return mark.get(word("fldCharType")) == kind


def is_text(child: Any) -> bool:
    """Whether an element of a paragraph is a run, or a link of runs, that hold text and nothing else."""
    if child.tag == word("hyperlink"):
        return len(child) > 0 and all(is_text(run) and run.tag == word("r") for run in child)
    return child.tag == word("r") and {part.tag for part in child} <= {word("rPr"), word("t")} and len(child) > 0


def looks_of(run: Any) -> bytes:
    """What a run looks like; a link is like nothing else."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  (it has no types)

    if run.tag != word("r"):
        return str(id(run)).encode()
    properties = run.find(word("rPr"))
    return b"" if properties is None else etree.tostring(properties, method="c14n")


def group_text(group: Sequence[Any]) -> str:
    return "".join(part.text or "" for run in group for part in run.iter(word("t")))


def segment_of(stretch: Stretch) -> Segment:
    """The text of a stretch, a mark for every group but the base."""
    text, marks, at = stretch.text, list[Mark](), 0
    for number, group in enumerate(stretch.groups):
        end = at + len(group_text(group))
        if number != stretch.base:
            marks.append(Mark(chr(FIRST + number), chr(LAST), at, end))
        at = end
    body = text.strip()
    begin = text.index(body)
    lead, trail = text[:begin], text[begin + len(body) :]
    marks = [
        Mark(mark.before, mark.after, *(min(max(at - begin, 0), len(body)) for at in (mark.begin, mark.end)))
        for mark in marks
    ]
    return Segment(body, tuple(marks), lead, trail, escape=str)


def write_stretch(stretch: Stretch, string: str) -> None:
    """New runs in the place of the old ones: each looks like that whose words it has."""
    first = stretch.groups[0][0]
    parent = first.getparent()
    position = parent.index(first)
    group, piece, new = stretch.base, "", list[Any]()
    for letter in [*string, chr(LAST)]:
        number = ord(letter)
        if FIRST <= number <= LAST:
            if piece:
                new.append(run_with(stretch.groups[group][0], piece))
            group, piece = (stretch.base if number == LAST else number - FIRST), ""
        else:
            piece += letter
    for old in [run for runs in stretch.groups for run in runs]:
        parent.remove(old)
    for offset, run in enumerate(new):
        parent.insert(position + offset, run)


def run_with(model: Any, text: str) -> Any:
    """A run, or a link, that looks like another and has this text."""
    run = copy.deepcopy(model)
    first, *others = run.iter(word("t"))
    first.text = text
    first.set(SPACE, "preserve")
    for part in others:
        part.getparent().remove(part)
    return run
