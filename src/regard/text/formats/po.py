"""Catalogues of gettext: strings without a translation get one; all else, comments and headers, stays as it is."""

import re
from dataclasses import dataclass, field, replace

from regard.text.documents import OpenDocument
from regard.text.formats.spliced_xml import FormatError
from regard.text.markup import plain_tags
from regard.text.segments import Document, Segment

KEYWORD = re.compile(r'\s*(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d+)\])?)\s*("(?:[^"\\]|\\.)*")\s*$')
STRING = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*$')
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
SPELLED = {letter: f"\\{name}" for name, letter in ESCAPES.items()}


@dataclass
class Entry:
    """A message: its strings by keyword, and in which lines its translations stand."""

    strings: dict[str, str] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)


def read_po(text: str) -> OpenDocument:
    """The messages that have no translation."""
    lines = text.splitlines(keepends=True)
    new: dict[int, Document] = {}
    dropped: set[int] = set()
    for entry in entries(lines):
        for keyword, numbers in entry.lines.items():
            source = entry.strings.get("msgid" if keyword in ("msgstr", "msgstr[0]") else "msgid_plural", "")
            if entry.strings.get("msgid") and source and not entry.strings[keyword]:
                ending = "\r\n" if lines[numbers[0]].endswith("\r\n") else "\n"
                new[numbers[0]] = [f'{keyword} "', message(source), f'"{ending}']
                dropped.update(numbers)
    parts: Document = []
    for number, line in enumerate(lines):
        parts += new.get(number, [] if number in dropped else [line])
    return OpenDocument(parts)


def entries(lines: list[str]) -> list[Entry]:
    """The messages of a catalogue in their order."""
    result: list[Entry] = []
    keyword = ""
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            keyword = ""
            continue
        start, string = KEYWORD.match(line), STRING.match(line)
        if start is not None:
            keyword = start[1]
            if keyword == "msgctxt" or (keyword == "msgid" and (not result or "msgid" in result[-1].strings)):
                result.append(Entry())
            string_text = start[3]
        elif string is not None and keyword:
            string_text = string[1]
        else:
            raise FormatError(f"a catalogue of gettext expected, got in line {number + 1}: {line.strip()[:60]!r}")
        if not result:
            raise FormatError(f"a msgid expected before line {number + 1}")
        entry = result[-1]
        entry.strings[keyword] = entry.strings.get(keyword, "") + unescape_string(string_text[1:-1])
        if keyword.startswith("msgstr"):
            entry.lines.setdefault(keyword, []).append(number)
    return result


def unescape_string(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[0]), text)


def escape_string(text: str) -> str:
    """A string as it stands between quotes; after a line break it goes on in the next line."""
    return spell_string(text).replace("\\n", '\\n"\n"')


def spell_string(text: str) -> str:
    return "".join(SPELLED.get(letter, letter) for letter in text)


def message(text: str) -> Segment:
    """A message with its tags as marks."""
    (segment,) = (part for part in plain_tags(text) if isinstance(part, Segment))
    body = segment.text.strip()
    begin = segment.text.index(body) if body else 0
    lead, trail = segment.lead + segment.text[:begin], segment.text[begin + len(body) :] + segment.trail
    marks = tuple(
        replace(
            mark,
            before=spell_string(mark.before),
            after=spell_string(mark.after),
            begin=min(max(mark.begin - begin, 0), len(body)),
            end=min(max(mark.end - begin, 0), len(body)),
        )
        for mark in segment.marks
    )
    objects = tuple(map(spell_string, segment.objects))
    return Segment(body, marks, spell_string(lead), spell_string(trail), objects, escape_string)
