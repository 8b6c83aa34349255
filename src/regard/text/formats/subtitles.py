"""Subtitles, SRT and WebVTT: numbers, times, styles and notes stay; what is said is translated and wrapped again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from regard.text.documents import OpenDocument
from regard.text.markup import plain_tags
from regard.text.segments import Document, Segment

TIMES = re.compile(r"\s*(?:\d+:)?\d+:\d+[.,]\d+\s*-->\s*(?:\d+:)?\d+:\d+[.,]\d+")
SPEAKER = re.compile(r"\s*[-–—]\s*")
VOICE = re.compile(r"(?:\s*(?:<v[ .][^<>]*>|\{\\[^{}]*\}))+")
TAG = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
CLASS_TAG = re.compile(r"<(\w+)\.([\w.-]+)([^<>]*)>")  # WebVTT's <c.loud>
TIME_TAG = re.compile(r"<((?:\d+:)?\d+:\d+\.\d+)>")  # when a word is said
SPELLED_CLASS = re.compile(r'<(\w+) cue-class="([\w.-]+)"([^<>]*)>')
SPELLED_TIME = re.compile(r'<wbr cue-time="([\d:.]+)">')
WIDTH = 42  # letters of a line, unless there is a longer one


@dataclass(frozen=True)
class Cue:
    """How what is said is to be wrapped: in how many lines, how wide."""

    lines: int
    width: int


def read_subtitles(text: str) -> OpenDocument:
    """What is said in each cue; where two speak, each for himself."""
    lines = text.splitlines(keepends=True)
    parts: Document = []
    cues: dict[int, Cue] = {}
    number = 0
    while number < len(lines):
        parts.append(lines[number])
        number += 1
        if not TIMES.match(lines[number - 1]):
            continue
        end = number
        while end < len(lines) and lines[end].strip() and not begins_cue(lines, end):
            end += 1
        for speech in speeches(lines[number:end]):
            add_speech(parts, cues, speech)
        number = end

    def build(strings: Sequence[str]) -> str:
        return "".join(
            wrap(as_cue(string), cues[index]) if index in cues else string for index, string in enumerate(strings)
        )

    return OpenDocument(parts, build)


def begins_cue(lines: Sequence[str], number: int) -> bool:
    """Whether a line is the time of a cue, or its number, even where no empty line stands before it."""
    is_number = lines[number].strip().isdigit() and number + 1 < len(lines)
    return TIMES.match(lines[number + is_number]) is not None


def speeches(lines: Sequence[str]) -> list[list[str]]:
    """The lines of each speaker: with a dash before all of them, or all lines as one."""
    if not all(SPEAKER.match(line) for line in lines if line.strip()):
        return [list(lines)] if lines else []
    return [[line] for line in lines]


def add_speech(parts: Document, cues: dict[int, Cue], lines: Sequence[str]) -> None:
    """The text of some lines as one segment, what stands before it and the line end after it."""
    ending = re.search(r"[\r\n]*\Z", lines[-1])
    texts = [line.rstrip("\r\n") for line in lines]
    joined = " ".join(text.strip() for text in texts)
    lead = re.match(r"(?:\s*[-–—]\s+)?", joined)
    begin = lead.end() if lead else 0
    voice = VOICE.match(joined, begin)
    begin = voice.end() if voice else begin
    (segment,) = (
        (part for part in plain_tags(as_html(joined[begin:])) if isinstance(part, Segment))
        if joined[begin:]
        else (None,)
    )
    if segment is None or not segment.has_words:
        parts.extend(lines)
        return
    widest = max(len(TAG.sub("", text)) for text in texts)
    parts.append(joined[:begin])
    cues[len(parts)] = Cue(len(lines), max(WIDTH, widest))
    parts += [replace(segment, text=segment.text.strip()), ending[0] if ending else ""]


def as_html(text: str) -> str:
    """Classes and times of a cue as tags have them that are known everywhere."""
    return CLASS_TAG.sub(r'<\1 cue-class="\2"\3>', TIME_TAG.sub(r'<wbr cue-time="\1">', text))


def as_cue(text: str) -> str:
    return SPELLED_CLASS.sub(r"<\1.\2\3>", SPELLED_TIME.sub(r"<\1>", text))


def wrap(text: str, cue: Cue) -> str:
    """A text in as many lines as there were, or in one that it fits in; in more if they would be too wide."""
    words = text.split(" ")
    length = len(TAG.sub("", text))
    count = 1 if cue.lines == 1 and length <= cue.width else max(cue.lines, -(-length // cue.width))
    if length <= WIDTH // 2:
        count = 1
    lines: list[str] = []
    for left in range(count, 0, -1):
        wanted = sum(len(TAG.sub("", word)) + 1 for word in words) / left
        line: list[str] = []
        size = 0.0
        while words and (not line or left == 1 or size + len(TAG.sub("", words[0])) / 2 <= wanted):
            size += len(TAG.sub("", words[0])) + 1
            line.append(words.pop(0))
        lines += [" ".join(line)] if line else []
    return "\n".join(lines)
