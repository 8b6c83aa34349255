"""Markdown: headings, lists, quotes and the cells of tables are translated; code, links and the rest stay.

Which lines are a paragraph is markdown-it's word; they become one line, since nothing depends on where it is broken.
What it reads in a translated block has to be what it read before: else the block is left as it was. A link that is
named by its own words, `[the page]` or `[the page][]`, keeps its name: `[die Seite][the page]`.
"""

import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from regard.text.documents import OpenDocument
from regard.text.markup import TAGS
from regard.text.segments import Document, Segment, SegmentBuilder

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

FRONT_MATTER = re.compile(r"\A(---|\+\+\+)\n.*?\n\1\n", re.DOTALL)
INLINE = re.compile(
    r"""(?P<kept>(?P<ticks>`+)(?:.|\n)+?(?<!`)(?P=ticks)(?!`)|<(?:https?|mailto|ftp)[^<>\s]*>|<[^<>\s@]+@[^<>\s]+>
    |<!--.*?-->|\\[!-/:-@\[-`{-~]|&\#?\w+;|\$[^\s$][^$\n]*\$|\[\^[^\]\s]+\]|\[[ xX]\](?=\s|\Z)|:[a-z_]+:)
    |(?P<open>!?\[)|(?P<close>\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\)|\]\[[^\[\]]*\]|\])
    |(?P<emphasis>\*{1,3}|~{1,2}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w))|(?P<tag></?[A-Za-z][^<>]*>)""",
    re.VERBOSE | re.DOTALL,
)
BOX = re.compile(r"\[[ xX]\]\s+(?=\S)")
HARD_BREAK = re.compile(r"(?:[ ]{2,}|\\)\n\s*")


@dataclass(frozen=True)
class MarkdownBlock:
    """Some lines that are one paragraph, heading or row, and the texts in it as they are without what quotes and lists
    put before them."""

    begin: int
    end: int
    texts: tuple[str, ...]


@cache
def parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def read_markdown(text: str) -> OpenDocument:
    """The texts of all blocks that are in a language."""
    front = FRONT_MATTER.match(text)
    begin = front.end() if front else 0
    lines = text[begin:].splitlines(keepends=True)
    parts: Document = [text[:begin]] if begin else []
    originals: dict[range, str] = {}  # of the parts of each block, as it stood
    at = 0
    references: dict[str, object] = {}
    for block in blocks(text[begin:], references):
        if block.begin < at:
            continue
        raw = "".join(lines[block.begin : block.end])
        spliced = splice_block(raw, block.texts, references)
        if spliced is not None:
            parts.append("".join(lines[at : block.begin]))
            originals[range(len(parts), len(parts) + len(spliced))] = raw
            parts += spliced
            at = block.end

    def build(strings: Sequence[str]) -> str:
        result = list(strings)
        for places, raw in originals.items():
            block_text = "".join(strings[place] for place in places)
            if structure(block_text, references) != structure(raw, references):
                logging.getLogger("regard").warning("left as it is, lest its structure be lost: %s", raw.strip()[:80])
                result[places.start : places.stop] = [raw, *[""] * (len(places) - 1)]
        return "".join(result)

    return OpenDocument([*parts, "".join(lines[at:])], build)


def structure(text: str, references: Mapping[str, object]) -> list[tuple[object, ...]]:
    """What a block is to whoever reads Markdown, given what links are named elsewhere: its parts in their order, what
    is inline in any order, code to the letter."""
    result: list[tuple[object, ...]] = []
    indent = len(text) - len(text.lstrip(" \t"))  # of a list around it, without which it is no code
    text = re.sub(rf"^[ \t]{{0,{indent}}}", "", text.replace("\r\n", "\n"), flags=re.MULTILINE)
    for token in parser().parse(text, {"references": dict(references)}):
        inline = [
            (child.type, str(child.attrGet("href")), str(child.attrGet("src")), child.content * ("code" in child.type))
            for child in token.children or ()
            if child.type not in ("text", "softbreak")
        ]
        is_verbatim = token.type in ("fence", "code_block", "html_block")
        result.append((token.type, token.tag, token.info, token.content if is_verbatim else "", sorted(inline)))
    return result


def blocks(text: str, references: dict[str, object]) -> Iterator[MarkdownBlock]:
    """The blocks with text in them, in their order; the cells of a row are one block. `references` becomes what links
    are named."""
    environment: dict[str, dict[str, object]] = {"references": references}
    tokens = parser().parse(text.replace("\r\n", "\n"), environment)
    rows: dict[tuple[int, int], list[str]] = {}
    within = (0, 0)
    for token in tokens:
        if token.map is not None:
            within = (token.map[0], token.map[1])
        if token.type == "inline":
            rows.setdefault(within, []).append(token.content)
    yield from (MarkdownBlock(*place, tuple(texts)) for place, texts in sorted(rows.items()))


def splice_block(raw: str, texts: tuple[str, ...], references: Collection[str]) -> Document | None:
    """The lines of a block with segments in the place of its texts; None where they cannot be made out."""
    parts: Document = []
    at = 0
    for text in texts:
        if not text.strip():
            continue
        place = find_text(raw, text, at)
        if place is None:
            return None
        begin, end = place
        parts += [raw[at:begin], *segments_of_text(text, continuation(raw), references)]
        at = end
    return [*parts, raw[at:]] if parts else None


def find_text(raw: str, text: str, at: int) -> tuple[int, int] | None:
    """Where a text stands in the lines of its block, which may begin with the signs of quotes and lists."""
    lines = text.split("\n")
    pattern = r"[^\S\n]*\r?\n[\s>]*".join(re.escape(line.strip()) for line in lines)
    match = re.compile(pattern).search(raw, at)
    return match.span() if match else None


def continuation(raw: str) -> str:
    """What quotes and lists put before the second line of a block."""
    match = re.search(r"\n([^\S\n]*(?:>[^\S\n]*)*)", raw.rstrip("\n"))
    return match[1] if match else ""


def segments_of_text(text: str, prefix: str, references: Collection[str]) -> Document:
    """A text as segments, with hard line breaks between them and without the box of a task."""
    box = BOX.match(text)
    parts: Document = [box[0]] if box else []
    at = box.end() if box else 0
    for line_break in HARD_BREAK.finditer(text, at):
        sign = "\\" if line_break[0].startswith("\\") else "  "
        parts += [inline_segment(text[at : line_break.start()], references), f"{sign}\n{prefix}"]
        at = line_break.end()
    return [*parts, inline_segment(text[at:], references)]


def inline_segment(text: str, references: Collection[str] = ()) -> Segment:
    """A line of text: code and escapes kept whole, links and emphasis around their words."""
    pairs = matching_signs(text, references)
    builder = SegmentBuilder(is_plain=True)
    at = 0
    for match in INLINE.finditer(text):
        if match.start() < at:
            continue
        begin = match.start()
        builder.write(one_line(text[at:begin]), keep=True)
        at = match.end()
        if match["kept"]:
            builder.keep(match[0])
        elif begin in pairs:
            builder.open(match[0], pairs[begin])
        elif begin in pairs.closing:
            builder.close()
        elif match["tag"] and not TAGS.match(match[0]):
            builder.write(match[0], keep=True)
        else:
            builder.keep(match[0])
    builder.write(one_line(text[at:]), keep=True)
    segment = builder.build()
    return Segment(segment.text, segment.marks, segment.lead, segment.trail, segment.objects, spell)


def one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)


def spell(text: str) -> str:
    """Signs that would begin emphasis, code or a link where none was, behind a backslash."""
    return re.sub(r"([*`\[\]]|(?<!\w)_|_(?!\w))", r"\\\1", text)


class Signs(dict[int, str]):
    """For each sign that opens something, what closes it; `closing` are the positions of those that close."""

    closing: set[int]


def closing_sign(sign: str, label: str, references: Collection[str]) -> str:
    """What closes a link: its name, too, where that was its own words."""
    from markdown_it.common.utils import normalizeReference

    is_named = sign in ("]", "][]") and label and normalizeReference(label) in references
    return f"][{label}]" if is_named else sign


def matching_signs(text: str, references: Collection[str]) -> Signs:
    """Which brackets, emphasis and tags belong together, none crossing."""
    signs, waiting = Signs(), list[re.Match[str]]()
    signs.closing = set()
    for match in INLINE.finditer(text):
        if match["kept"]:
            continue
        if match["open"] or (match["tag"] and not match[0].startswith("</") and not match[0].endswith("/>")):
            waiting.append(match)
        elif match["close"] or match["tag"] or match["emphasis"]:
            number = next((n for n in range(len(waiting) - 1, -1, -1) if belong(waiting[n], match, text)), None)
            if number is not None:
                label = one_line(text[waiting[number].end() : match.start()]) if match["close"] else ""
                signs[waiting[number].start()] = closing_sign(match[0], label, references)
                signs.closing.add(match.start())
                del waiting[number:]
            elif match["emphasis"]:
                waiting.append(match)
    return signs


def belong(first: re.Match[str], second: re.Match[str], text: str) -> bool:
    """Whether two signs open and close the same."""
    if second["close"]:
        return first["open"] is not None
    if second["tag"]:
        name = re.match(r"<([A-Za-z][\w:-]*)", first[0])
        return name is not None and re.match(rf"</{re.escape(name[1])}\s*>", second[0], re.IGNORECASE) is not None
    opens = text[first.end() : first.end() + 1].strip() != ""
    closes = text[second.start() - 1 : second.start()].strip() != ""
    return first["emphasis"] == second["emphasis"] and opens and closes and first.end() < second.start()
