"""Texts with tags in them, taken apart so that the words can be translated, and put together again.

What no translation may touch, code and whatever says translate="no", is one letter for private use within a sentence.

Nothing is trusted: whatever comes in, each tag goes out once, and each that was opened is closed in its turn. Tags that
cross are mended (`<b><i></b></i>` becomes `<b><i></i></b>`), a tag that nobody closes is closed where the one around it
ends, and one that closes nothing is left out.
"""

import heapq
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from regard.text.segments import Document, Segment, SegmentBuilder

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
UNTOUCHED = {"pre", "code", "kbd", "samp", "var", "math", "svg", "tt", "noscript", "template", "object", "iframe"}
"""Tags whose contents are in no language."""
SAYS_NO = re.compile(r"""\stranslate\s*=\s*["']?no\b|\sclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE)
MAIL_LINK = re.compile(r"""\shref\s*=\s*["']?mailto:""", re.IGNORECASE)
WIDE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and ideographs: no spaces stand between words
UNITS = re.compile(rf"[{WIDE}]|[^\W{WIDE}]+|[^\w\s]")


@dataclass(frozen=True)
class MarkupToken:
    """A piece of the input: text, a tag that opens or closes, or what is kept as it is."""

    kind: str
    raw: str
    name: str = ""


def html(text: str, *, change_tag: Callable[[str], str] = str) -> Document:
    """The segments of a text with HTML tags; entities become the letters that they stand for. `change_tag` changes how
    a tag is spelled."""
    tokens = list(tokenize_markup(text))
    return segments_of(tokens, element_ends(tokens), change_tag)


def plain_tags(text: str) -> Document:
    """The segments of a text that is no page, but has tags in pairs: all else is as it stands."""
    tokens = list(tokenize_markup(text))
    ends = matching_tags(tokens)
    pairs = {start: end for start, end in ends.items() if end < len(tokens) and is_end_of(tokens[end], tokens[start])}
    in_pairs = {*pairs, *pairs.values()}
    tokens = [
        token
        if index in in_pairs or (token.kind == "alone" and token.name in EMPTY)
        else MarkupToken("text", token.raw)
        for index, token in enumerate(tokens)
    ]
    if all(token.kind == "text" for token in tokens):
        return [Segment(text, escape=str)]
    return segments_of(tokens, element_ends(tokens), is_plain=True)


def is_end_of(token: MarkupToken, start: MarkupToken) -> bool:
    return token.kind == "end" and token.name == start.name


def units(text: str) -> list[tuple[int, int]]:
    """Where the words and the punctuation marks of a text stand."""
    return [match.span() for match in UNITS.finditer(text)]


def tokenize_markup(text: str) -> Iterator[MarkupToken]:
    """Text and tags in turn. What only looks like a tag is text."""
    at = 0
    for match in TAGS.finditer(text):
        if match.start() > at:
            yield MarkupToken("text", text[at : match.start()])
        at = match.end()
        name = (match["end"] or match["start"] or match["code"] or "").lower()
        if match["start"] is None:
            yield MarkupToken("end" if match["end"] else "aside", match[0], name)
        else:
            attributes = match["attributes"]
            is_alone = name in EMPTY or (attributes.endswith("/") and not UNQUOTED.search(attributes))
            yield MarkupToken("alone" if is_alone else "start", match[0], name)
    if at < len(text):
        yield MarkupToken("text", text[at:])


def element_ends(tokens: Sequence[MarkupToken]) -> dict[int, int]:
    """For each tag that opens, the position before which its element ends: none of them cross."""
    ends = matching_tags(tokens)
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


def matching_tags(tokens: Sequence[MarkupToken]) -> dict[int, int]:
    """For each tag that opens, where it is closed: by the next tag of its name, else by what is around it."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for index, token in enumerate(tokens):
        if token.kind == "start":
            opened.setdefault(token.name, []).append(index)
        elif token.kind == "end" and opened.get(token.name):
            ends[opened[token.name].pop()] = index
    left = sorted(index for indices in opened.values() for index in indices)
    enclosing: list[int] = []
    matched = sorted(ends.items(), reverse=True)
    following: dict[str, list[int]] = {}
    for index in reversed(range(len(tokens))):
        if tokens[index].kind == "start":
            following.setdefault(tokens[index].name, []).append(index)
    for index in left:
        while matched and matched[-1][0] < index:
            heapq.heappush(enclosing, matched.pop()[1])
        while enclosing and enclosing[0] < index:
            heapq.heappop(enclosing)
        until = enclosing[0] if enclosing else len(tokens)
        for name in SIBLINGS.get(tokens[index].name, ()):
            later = following.get(name, [])
            while later and later[-1] <= index:
                later.pop()
            until = min(until, later[-1]) if later else until
        ends[index] = until
    return ends


def segments_of(
    tokens: Sequence[MarkupToken],
    ends: dict[int, int],
    change_tag: Callable[[str], str] = str,
    *,
    is_plain: bool = False,
) -> Document:
    """The tokens as segments, and as what stands between them: elements that no sentence goes across. With `is_plain`
    entities and white space are left alone."""
    broken = set() if is_plain else breaking_tags(tokens, ends)
    document: Document = []
    segment = SegmentBuilder(is_plain, keeps_edges=not is_plain)
    around: list[int] = []
    spaced, untouched_until = 0, 0

    def flush() -> None:
        nonlocal segment
        document.extend([segment.build()] if segment.text or segment.marks or segment.lead else [])
        segment = SegmentBuilder(is_plain, keeps_edges=not is_plain)

    def close(until: int) -> None:
        nonlocal spaced
        while around and ends[around[-1]] <= until:
            start = around.pop()
            spaced -= tokens[start].name in KEEPS_SPACE
            if start in broken:
                flush()
                document.append(closing_tag(tokens[start]))
            else:
                segment.close()

    for index, token in enumerate(tokens):
        if index < untouched_until:
            continue
        close(index)
        if token.kind == "start" and is_untouched(token):
            untouched_until = max(ends[index], index + 1)
            raw = "".join(inner.raw for inner in tokens[index:untouched_until]) + closing_tag(token)
            if index in broken:
                flush()
                document.append(raw)
            else:
                segment.keep(raw)
        elif token.kind == "text":
            segment.write(token.raw if is_plain else unescape(token.raw), keep=is_plain or spaced > 0)
        elif index in broken:
            flush()
            document.append(change_tag(token.raw) if token.kind in ("start", "alone") else token.raw)
        elif token.kind == "start":
            segment.open(change_tag(token.raw), closing_tag(token))
        elif token.kind != "end":
            segment.point(change_tag(token.raw) if token.kind == "alone" else token.raw)
        if token.kind == "start" and index >= untouched_until:
            around.append(index)
            spaced += token.name in KEEPS_SPACE
    close(len(tokens))
    flush()
    return document


def is_untouched(token: MarkupToken) -> bool:
    """Whether an element is kept as it is, with all that it holds."""
    is_mail = token.name == "a" and MAIL_LINK.search(token.raw) is not None
    return token.name in UNTOUCHED or is_mail or SAYS_NO.search(token.raw) is not None


def closing_tag(token: MarkupToken) -> str:
    """The tag that closes an element, its name spelled as where it was opened."""
    return f"</{token.raw[1 : 1 + len(token.name)]}>"


def breaking_tags(tokens: Sequence[MarkupToken], ends: dict[int, int]) -> set[int]:
    """The tags that no sentence goes across: breaks, and all elements around one."""
    breaking: set[int] = set()
    around: list[int] = []
    for index, token in enumerate(tokens):
        while around and ends[around[-1]] <= index:
            around.pop()
        is_break = token.kind in ("start", "alone") and token.name in BREAKS
        if is_break or (token.kind == "aside" and not token.raw.startswith("<!--")):
            breaking.add(index)
            for outer in reversed(around):
                if outer in breaking:
                    break
                breaking.add(outer)
        if token.kind == "start":
            around.append(index)
    return breaking
