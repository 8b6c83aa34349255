"""Spans of a text that no translation may change: placeholders, addresses, amounts, code, terms of a glossary.

A kind of span is one line in SPANS. Where two could begin, the longer one does; spans that touch are one. This file is
long because that table is.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from regard.errors import ArgumentError
from regard.text.glossary import Glossary
from regard.text.message_format import message_syntax

FIRST_OBJECT = 0xF0000
OBJECTS = 0xFFFD
"""Letters for private use: what a format keeps whole within a sentence, an image or some code, is one of them."""


@dataclass(frozen=True)
class SpanKind:
    """What spans of a kind look like. `is_number`: they read as a number, else as a name. A placeholder is filled in by
    a program, which tells those with `is_ordered` apart by nothing but their order. `is_figure`: the digits stay, what
    stands between them is the other language's. `is_spelled`: a word may stand for it, and no sentence is taken to
    pieces to keep it. `is_break`: what is before it and after it is no sentence together."""

    pattern: str
    is_number: bool = False
    is_placeholder: bool = False
    is_ordered: bool = False
    is_figure: bool = False
    is_spelled: bool = False
    is_break: bool = False

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        try:
            return re.compile(self.pattern)
        except re.error as problem:
            raise ArgumentError(f"a pattern of spans expected, got {self.pattern!r}: {problem}") from None


DIGITS = r"\d{1,20}(?:(?:[.,\u00a0\u202f]|['’](?=\d{3}))\d{1,20}){0,10}"
AMOUNT = rf"(?<![\w.,]){DIGITS}"
MONEY = r"(?:(?:US|AU|CA|NZ|HK|A|C|R|S)?[$€£¥₹₽]|EUR|USD|GBP|CHF|JPY|CAD|AUD|CNY|INR|SEK|NOK|DKK|PLN|CZK)"
THOUSANDS = r"(?:[ \u00a0]?(?:k|K|m|M|mn|bn|B|tn)(?![\w²³]))?"
UNIT = (
    r"(?:[kMGTP]i?(?:B|bit)(?:/s)?|[kMG]?Hz|[kMGT]?Wh?|[mkµ]?[VA]|[cdmkµn]?m[²³23]?|[mk]?g|[mcd]?l|[mµn]?s|km/h|mph|min|"
    r"[hKNJ]|°[CF]?|px|pt|dpi|ppi|fps|rpm|ha|bar|[kMh]?Pa|dB|mol|kcal|oz|lb|lbs|ft|mi|%(?!%)|‰)"
)
HOST = r"(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,8}"
COUNTRIES = "com|org|net|edu|gov|io|info|dev|app|de|at|ch|eu|uk|fr|nl|es|it|pl|cz|se|ru|cn|jp|au|ca|br|test|example"
ENDINGS = (
    "bash|bat|bz2|cfg|conf|cpp|css|csv|deb|docx|exe|gif|gz|html|ini|ipynb|iso|jar|java|jpe?g|json|log|md|mp[34]|odt|"
    "pdf|png|po|py|rpm|rst|service|sh|so|sql|svg|tar|toml|tsv|txt|wav|xls|xlsx|xml|xz|ya?ml|zip"
)
FLAGS = (
    r"(?<!%)(?:(?<!\d)|(?=(?:%%){0,3}%[sdoxXu](?![A-Za-z])))(?:%%){0,3}%"
    r"[-+#0']{0,4}(?:\d{1,4}|\*)?(?:\.(?:\d{1,4}|\*))?(?:hh|ll|I64|[hlLqjzt]|[RZ](?=[a-z]))?"
)
CURRENCY = r"(?:[Ee]uros?|[Cc]ents?|[Dd]ollars?|[Pp]ounds?|Pfund|[Ff]rancs?|Franken|[Yy]en|[Rr]upees?|Rupien?)"
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    *("December", "Januar", "Februar", "März", "Mai", "Juni", "Juli", "Oktober", "Dezember", "Jan", "Feb", "Mar"),
    *("Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Okt", "Nov", "Dec", "Dez"),
)
BEFORE_MONTH = rf"(?=(?:st|nd|rd|th|\.)?[ \u00a0](?:of )?(?:{'|'.join(MONTHS)})\b)"
AFTER_MONTH = "(?:" + "|".join(rf"(?<=\b{month} )" for month in MONTHS) + ")"
"""What is to be translated, unlike the digits beside it."""
SPANS: dict[str, SpanKind] = {
    "object": SpanKind(f"[{chr(FIRST_OBJECT)}-{chr(FIRST_OBJECT + OBJECTS)}]", is_placeholder=True),
    "printf": SpanKind(rf"{FLAGS}[oxXaAcspm@]", is_placeholder=True, is_ordered=True),
    "printf number": SpanKind(rf"{FLAGS}[diueEfFgGn]", is_number=True, is_placeholder=True, is_ordered=True),
    "percent": SpanKind(r"%%(?:\(\w{1,60}\))?", is_placeholder=True),
    "strftime": SpanKind(
        r"(?<![\d%])%[-_0^#]?[aAbBcCDeFgGhHIjklmMnNpPrRsStTuUVwWxXyYzZ](?![A-Za-z])", is_placeholder=True
    ),  # strftime's
    "numbered": SpanKind(
        r"%\d{1,2}\$[-+#0']{0,4}\d{0,4}(?:\.\d{1,4})?(?:hh|ll|[hlLqjzt])?[diouxXeEfFgGaAcspn@]|%L?[1-9]\d?(?![\d$.]|\s?%)",
        is_placeholder=True,
    ),
    "python": SpanKind(r"%\(\w{1,60}\)[-+#0]{0,4}\d{0,4}(?:\.\d{1,4})?[diouxXeEfFgGcrsa]", is_placeholder=True),
    "braces": SpanKind(r"[$#%@]?(?:\{\{[^\s{}][^{}\n]{0,80}\}\}|\{[^\s{}][^{}\n]{0,80}\})", is_placeholder=True),
    "template": SpanKind(
        r"\{\{\{?[^{}\n]{1,200}\}?\}\}|\{%[^{}\n]{1,200}%\}|\{#[^{}\n]{1,200}#\}|<%[^<>\n]{1,200}%>",
        is_placeholder=True,
    ),
    "tilde": SpanKind(r"~(?:%(?![a-z\d.+*#(-])|[asdASD](?!\w))", is_placeholder=True, is_ordered=True),
    "empty braces": SpanKind(r"\{\}", is_placeholder=True, is_ordered=True),
    "variable": SpanKind(
        r"(?<![\w$])\$[A-Za-z_]\w{0,60}|%[A-Z][A-Z0-9_]{1,60}%|(?<!\w)@[A-Za-z_]{1,60}@"
        r"|(?<![\w%])%[a-z][a-z0-9_.]{1,60}%(?!\w)|(?<![\w:/]):[a-z][a-z0-9_]{1,40}(?::(?!\w)|(?![\w:]))",
        is_placeholder=True,
    ),
    "line break": SpanKind(r"(?:\\[nrt]){1,9}(?![a-z])", is_break=True),
    "escape": SpanKind(r"\\[\"'\\]|\\u[0-9A-Fa-f]{4}"),
    "command": SpanKind(r"\\(?![nrt][A-Z])[A-Za-z]{2,30}(?:\{[^{}\n]{0,80}\})?"),
    "tagged word": SpanKind(r"(?<![\w@#&/.])[@#][A-Za-zÀ-ÿ_]\w{1,60}"),
    "entity": SpanKind(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});", is_placeholder=True),
    "tag": SpanKind(r"</?[A-Za-z][\w:.-]{0,60}(?:\s[^<>\n]{0,300}=[^<>\n]{0,300})?\s?/?>", is_placeholder=True),
    "code": SpanKind(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,300}(?<!`)\1(?!`)"),
    "address": SpanKind(
        r"(?:(?:https?|ftps?|file|git|ssh|wss?)://|www\.|mailto:)"
        r"(?:[^\s<>\"'`“”„»«()]|\([^\s()]{0,200}\)){1,2000}(?<![.,;:!?\]}…])"
    ),
    "e-mail": SpanKind(rf"(?<![\w.+-])[\w.+-]{{1,64}}@{HOST}[A-Za-z]{{2,24}}"),
    "domain": SpanKind(rf"(?<![\w.@-]){HOST}(?:{COUNTRIES})(?![\w-])(?:/[^\s<>\"'`()]{{0,500}}(?<![.,;:!?]))?"),
    "path": SpanKind(
        r"(?<![\w.)>*/])(?:~|\.{1,2})?/[\w.+@%-]{1,80}(?:/[\w.+@%-]{1,80}){0,30}/?(?<![.])"
        r"|\b[A-Z]:\\(?:[^\s\\\"'<>|:*?]{1,80}(?: [^\s\\\"'<>|:*?]{1,80}){0,3}\\){0,20}[^\s\"'<>|]{0,200}(?<![.,;:!?])"
        r"|\\\\[\w.$-]{1,60}(?:\\[\w.$-]{1,80}(?<![.])){1,20}"
    ),
    "file": SpanKind(rf"(?<![\w./-])[\w-]{{1,60}}(?:\.[\w-]{{1,30}}){{0,4}}\.(?:{ENDINGS})\b"),
    "option": SpanKind(r"(?<![\w-])--?[A-Za-z][A-Za-z0-9]{0,30}(?:-[A-Za-z0-9]{1,30}){0,6}(?:=[^\s,;)\]'\"]{1,80})?"),
    "identifier": SpanKind(
        r"(?<![\w'])[A-Za-z]\w{0,60}(?:(?:\.\w{1,60}){1,6}|(?<=_)[A-Za-z0-9]\w{0,60})\([^()\n]{1,100}\)"
        r"|(?<![\w'])[A-Za-z]\w{0,60}(?:\(\)|(?<=_)[A-Za-z0-9]\w{0,60}(?:\(\))?)"
    ),
    "assignment": SpanKind(
        r"(?<![\w.=&?-])[A-Za-z_][\w.-]{0,60}=(?:\"[^\"\n]{0,80}\"|(?![%{])[^\s=,;()\[\]\"'<>]{1,80}(?<![.!?:]))"
    ),  # a name before a placeholder is a word: size=%d
    "date": SpanKind(
        r"(?<![\w.])\d{4}-\d\d?-\d\d?(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\w)"
        r"|(?<![\w./])\d{1,2}([./-])\d{1,2}\1\d{2}(?:\d\d)?(?!\w)",
        is_number=True,
    ),
    "serial number": SpanKind(
        r"(?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?!\w)"
        r"|(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){3,7}[0-9A-Fa-f]{1,4}(?![\w:])"
        r"|(?<![\w.-])\d{1,8}(?:-\d{1,8}){2,6}(?:-[A-Z0-9]{1,8})?(?![\w-])"
        r"|(?<![\w.-])\d{2,8}-\d{2,8}-[A-Z0-9]{1,8}(?![\w-])"
        r"|(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)"
        r"|(?<![\w.-])[A-Z]{1,6}-?\d{2,12}(?:-[A-Z0-9]{1,12}){0,4}(?![\w-])"
        r"|(?<![\w-])(?=[a-f]{0,39}\d)(?=\d{0,39}[a-f])[0-9a-f]{7,40}(?![\w-])"
        r"|(?<![\w-])[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}(?![\w-])"
    ),
    "telephone": SpanKind(
        r"(?<![\w.])(?:\+\d{1,3}|\(\d{2,5}\)|0\d{1,5})(?:[ /()-]{1,2}\d{1,8}){1,8}(?!\w|[.,:]\d)", is_number=True
    ),
    "version": SpanKind(
        r"(?<![\w.])(?!\d{1,3}\.\d{3}\.\d{3}(?!\.?\w))v?\d{1,6}(?:\.\d{1,8}){2,5}(?:[-+~][\w.]{1,40}(?<!\.))?(?!\w)",
        is_number=True,
    ),
    "time": SpanKind(
        r"(?<![\w:.])\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?:[ \u00a0]?[aApP](?:\.[mM]\.|[mM]))?(?![\w:])",
        is_number=True,
    ),
    "hour": SpanKind(r"(?<![\w:.,])\d{1,2}(?=[ \u00a0]?[aApP]\.?[mM]\b)", is_number=True, is_figure=True),
    "day": SpanKind(
        rf"(?<![\w.,])\d{{1,2}}{BEFORE_MONTH}|{AFTER_MONTH}\d{{1,2}}(?=(?:st|nd|rd|th)?(?!\w|[.:/]\d))", is_number=True
    ),
    "price": SpanKind(
        rf"(?<!\w){MONEY}[ \u00a0]?{DIGITS}{THOUSANDS}|{AMOUNT}[ \u00a0]?{MONEY}(?!\w)"
        rf"|{AMOUNT}(?=[ \u00a0]{CURRENCY}\b)",
        is_number=True,
    ),
    "number": SpanKind(r"(?<![\w.,:/-])\d{3,20}(?!\w|[.,:/-]\d)", is_number=True),
    "figure": SpanKind(
        r"(?<![\w.,:/-])(?:\d{2}|\d{1,20}(?:[.,]\d{1,20}){1,10})(?!\w|[.,:/-]\d)", is_number=True, is_figure=True
    ),
    "digit": SpanKind(
        r"(?<![\w.,:/-])(?<!\d[ \u00a0\u202f])\d(?!\w|-|[.,:/]\d|\.\s*\S)",
        is_number=True,
        is_figure=True,
        is_spelled=True,
    ),
    "quantity": SpanKind(
        rf"(?:(?<![\w.,)])[-−±])?(?!(?:1\d|20)\d0s){AMOUNT}(?:[ \u00a0\u202f]?{UNIT})(?!\w)", is_number=True
    ),  # not in the 1990s
}  # fmt: skip
"""What is carried over as it is; `Protection(kinds=SPANS | {...})` has more."""
NUMBER_WORDS: dict[str, tuple[str, ...]] = {
    "0": ("zero", "no", "null", r"keine?[nmrs]?", "zéro"),
    "1": ("one", "an?", "once", r"eine?[nmrs]?", r"eins", "einmal", "une?"),
    "2": ("two", "both", "twice", "zwei", r"beide[nrs]?", "zweimal", "deux"),
    "3": ("three", "drei", "dreimal", "trois"),
    "4": ("four", "vier", "viermal", "quatre"),
    "5": ("five", "fünf", "fünfmal", "cinq"),
    "6": ("six", "sechs", "sechsmal"),
    "7": ("seven", "sieben", "siebenmal", "sept"),
    "8": ("eight", "acht", "achtmal", "huit"),
    "9": ("nine", "neun", "neunmal", "neuf"),
}
"""What may be written for a digit, in the languages of the built-in translators and of French."""
SIGNS = re.compile(
    rf"[\d%{{~$@#=&<`/\\_(:{chr(FIRST_OBJECT)}-{chr(FIRST_OBJECT + OBJECTS)}]|\.\w|www\.|(?<![\w-])-[A-Za-z-]"
)
"""One of these is in every span of SPANS: most sentences have none, and are not searched for each kind."""
JOINED = re.compile(r"""[^\w\s"'()\[\]“”‘’«»„‚,;!?]{0,3}""")
"""What may stand between two spans that are one."""
QUOTES = {"'": "'", '"': '"', "“": "”", "‘": "’", "„": "“", "‚": "‘", "«": "»", "»": "«", "`": "'", "<": ">"}
"""What may stand right around a span, and goes with it."""
LONGEST_WORD = 20
WORD_AFTER = re.compile(rf"[A-Za-z0-9_]{{1,{LONGEST_WORD}}}")
WORD_BEFORE = re.compile(rf"[A-Za-z0-9_]{{1,{LONGEST_WORD}}}\Z")


class SpanMatch(NamedTuple):
    """A span where it was read, before those that touch become one."""

    begin: int
    end: int
    kind: SpanKind
    target: str


@dataclass(frozen=True)
class ProtectedSpan:
    """A stretch of a text, and what is to stand for it in the translation: the same, unless a glossary knows better."""

    begin: int
    end: int
    target: str
    is_number: bool = False
    is_ordered: bool = False
    is_figure: bool = False
    is_break: bool = False

    @property
    def is_object(self) -> bool:
        """Whether there is something in it that no model has met."""
        return any(FIRST_OBJECT <= ord(letter) <= FIRST_OBJECT + OBJECTS for letter in self.target)

    def shift(self, count: int) -> "ProtectedSpan":
        """The same in a text that begins so many letters later."""
        return replace(self, begin=self.begin - count, end=self.end - count)


@dataclass(frozen=True)
class Protection:
    """Which spans are protected. `kinds` is SPANS with more or fewer lines, `glossary` has terms and what they are in
    the other language; a letter before which `mnemonic` stands, as in _File or &File, is a key to press."""

    kinds: Mapping[str, SpanKind] = field(default_factory=lambda: SPANS)
    glossary: Glossary = Glossary()
    mnemonic: str = ""

    def __post_init__(self) -> None:
        if len(self.mnemonic) > 1 or self.mnemonic.isalnum() or self.mnemonic.isspace():
            raise ArgumentError(f"a mnemonic is marked by one sign, as _ or &, got {self.mnemonic!r}")
        _ = [kind.compiled for kind in self.kinds.values()]

    @cached_property
    def own_kinds(self) -> tuple[SpanKind, ...]:
        """Kinds that are not in SPANS, of which nothing is known."""
        return tuple(kind for name, kind in self.kinds.items() if SPANS.get(name) is not kind)

    def spans(self, text: str) -> tuple[ProtectedSpan, ...]:
        """The spans of a text in their order; none of them touch."""
        groups: list[list[ProtectedSpan]] = []
        for match in self.matches(text):
            begin, end = whole_word(text, match) if match.kind.is_placeholder else (match.begin, match.end)
            while match.kind not in (TERM, SYNTAX) and QUOTES.get(text[begin - 1 : begin]) == text[end : end + 1] != "":
                begin, end = begin - 1, end + 1
            target = text[begin : match.begin] + match.target + text[match.end : end]
            kind = match.kind
            span = ProtectedSpan(begin, end, target, kind.is_number, kind.is_ordered, kind.is_figure, kind.is_break)
            if groups and JOINED.fullmatch(text, groups[-1][-1].end, max(begin, groups[-1][-1].end)):
                groups[-1].append(span)
            else:
                groups.append([span])
        return tuple(join_spans(group, text) for group in groups)

    def matches(self, text: str) -> Iterator[SpanMatch]:
        """The spans of a text before any are joined, none within another."""
        matches = [
            SpanMatch(*match.span(), kind, match[0])
            for kind in (self.kinds.values() if SIGNS.search(text) else self.own_kinds)
            for match in kind.compiled.finditer(text)
            if match[0]
        ]
        matches += [SpanMatch(begin, end, TERM, target) for begin, end, target in self.glossary.matches(text)]
        matches += [SpanMatch(begin, end, SYNTAX, text[begin:end]) for begin, end in self.syntax(text)]
        end = 0
        for match in sorted(matches, key=lambda match: (match.begin, -match.end)):
            if match.begin >= end:
                yield match
                end = match.end

    def syntax(self, text: str) -> list[tuple[int, int]]:
        """What messages with forms have besides words, where placeholders in braces are protected at all."""
        return message_syntax(text) if "{" in text and "braces" in self.kinds else []

    def missing(self, source: str, target: str, *, digits: bool = True) -> list[str]:
        """What of the spans of a text is not in its translation as often as it should be, or not in a legal order; with
        `digits` numbers that are in it neither as they are nor as a word, too."""
        spans = [span for span in self.matches(source) if digits or not span.kind.is_spelled]
        others = [span for span in self.matches(target) if not span.kind.is_spelled]
        if not spans and not others:
            return []
        counts = Counter(span.target for span in spans)
        lacking = counts - Counter(span.target for span in others)  # of spelled ones all, which are looked for below
        figures = {span.target for span in spans if span.kind.is_figure}
        spelled = {span.target for span in spans if span.kind.is_spelled}
        missing = [
            text
            for text in lacking
            if count_of(text, target) < counts[text]
            and not (text in figures and count_of_figure(text, target) >= counts[text])
            and not (text in spelled and count_of_number(text, target) >= counts[text])
        ]
        placeholders, others = ([span for span in side if span.kind.is_placeholder] for side in (spans, others))
        if not missing:
            extra = Counter(span.target for span in others) - counts
            missing += [text for text in extra if count_of(text, target) > max(counts[text], count_of(text, source))]
        if not missing and any("%" in span.target for span in placeholders) and source.count("%") != target.count("%"):
            missing.append("%")  # one that is by itself, or doubled, makes a placeholder of what follows
        if not missing:
            orders = [[span.target for span in side if span.kind.is_ordered] for side in (placeholders, others)]
            missing += [text for text, other in zip(*orders, strict=False) if text != other]
        return missing


def protection_of(protect: "bool | Protection", *, has_objects: bool = False) -> Protection | None:
    """What a caller means: all kinds, or none. Where a format keeps some things whole, those are protected always."""
    if isinstance(protect, Protection):
        return protect
    if not isinstance(protect, bool):
        raise ArgumentError(f"protect is True, False or a Protection, got {type(protect).__name__}")
    return Protection() if protect else Protection({"object": SPANS["object"]}) if has_objects else None


TERM = SpanKind("")
"""Of the terms of a glossary, which have no pattern."""
SYNTAX = SpanKind("", is_placeholder=True, is_ordered=True, is_break=True)
"""Of messages with forms, which have more than a pattern can say."""


def whole_word(text: str, match: SpanMatch) -> tuple[int, int]:
    """A placeholder with the letters that it is written in one word with, as in %dpx."""
    if text[match.end - 1] in ">;" or match.target.endswith(("~%", "%}", "#}")) or match.kind is SYNTAX:
        # a tag, an entity, the end of a line, a statement
        return match.begin, match.end
    before = WORD_BEFORE.search(text[max(0, match.begin - LONGEST_WORD) : match.begin])
    after = WORD_AFTER.match(text, match.end)
    return match.begin - len(before[0]) if before else match.begin, after.end() if after else match.end


def join_spans(group: Sequence[ProtectedSpan], text: str) -> ProtectedSpan:
    """Spans that touch, or that share letters, as one."""
    if len(group) == 1:
        return group[0]
    parts: list[str] = []
    end = group[0].begin
    for span in group:
        parts += [text[end : span.begin], span.target[max(0, end - span.begin) :]]
        end = max(end, span.end)
    is_number, is_ordered = all(span.is_number for span in group), any(span.is_ordered for span in group)
    is_figure, is_break = all(span.is_figure for span in group), any(span.is_break for span in group)
    return ProtectedSpan(group[0].begin, end, "".join(parts), is_number, is_ordered, is_figure, is_break)


def count_of(span: str, text: str) -> int:
    """How often a span stands in a text, not as a part of a longer word or number."""
    before = r"(?<![A-Za-z0-9])" if span[0].isalnum() else ""
    after = r"(?![A-Za-z0-9])" if span[-1].isalnum() else ""
    return len(re.findall(before + re.escape(span) + after, text))


def count_of_figure(span: str, text: str) -> int:
    """How often the digits of a number stand in a text, whatever signs are between them."""
    digits = r"[.,:'’ \u00a0\u202f]?".join(letter for letter in span if letter.isdigit())
    return len(re.findall(rf"(?<!\d)(?<!\d[.,]){digits}(?![.,]?\d)", text))


def count_of_number(digit: str, text: str) -> int:
    """How often a digit stands in a text, or a word for it in a language that we know."""
    words = [digit, *NUMBER_WORDS.get(digit, ())]
    return len(re.findall(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", text, re.IGNORECASE))


def cuts_between(pieces: Sequence[tuple[str, str]], spans: Sequence[ProtectedSpan]) -> list[tuple[str, str]]:
    """Sentences and gaps of a text, those put together again between which a span is cut."""
    result: list[tuple[str, str]] = []
    end = 0
    for sentence, gap in pieces:
        begin, end = end, end + len(sentence) + len(gap)
        number = bisect_left(spans, begin, key=begin_of) - 1
        if result and number >= 0 and spans[number].end > begin:
            sentence = "".join(result.pop()) + sentence
        result.append((sentence, gap))
    return result


def begin_of(span: ProtectedSpan) -> int:
    return span.begin


LEAD_END = re.compile(r"""[\])'"”’]{0,2}\s*[:=|–—-]\s+|[\])]{1,2}\s+""")
TRAIL_BEGIN = re.compile(r"""[:=|]\s*[([{'"“‘„]{0,2}\Z|\s[([]{1,2}\Z""")

MOST_AT_EDGE = 8  # spans that are looked at one by one
ENCLOSED = re.compile(r"<[^<>]+>|\[[^\[\]]+\]")


def has_words(text: str, spans: Sequence[ProtectedSpan] = ()) -> bool:
    """Whether there is a letter outside of the spans."""
    edges = [0, *(edge for span in spans for edge in (span.begin, span.end)), len(text)]
    return any(
        letter.isalpha() for begin, end in zip(edges[::2], edges[1::2], strict=True) for letter in text[begin:end]
    )


def trim_spans(text: str, spans: Sequence[ProtectedSpan]) -> tuple[int, int]:
    """From where to where a text is a sentence: without spans before it that a colon or a bracket parts from it, as in
    "%s: not found", and without those after it."""
    begin, end, rest = 0, len(text), list(spans)
    if not rest and ENCLOSED.fullmatch(text):
        return 1, end - 1
    for _ in range(MOST_AT_EDGE):
        if not rest or any(map(str.isalnum, text[begin : rest[0].begin])):
            break
        lead = LEAD_END.match(text, rest[0].end)
        if lead is None or not has_words(text[lead.end() :], [span.shift(lead.end()) for span in rest[1:]]):
            break
        begin = lead.end()
        del rest[0]
    for _ in range(MOST_AT_EDGE):
        if not rest or any(map(str.isalnum, text[rest[-1].end : end])):
            break
        trail = TRAIL_BEGIN.search(text, begin, rest[-1].begin)
        if trail is None or not has_words(text[begin : trail.start()], [span.shift(begin) for span in rest[:-1]]):
            break
        end = trail.start()
        del rest[-1]
    return begin, end


def with_targets(text: str, spans: Sequence[ProtectedSpan]) -> str:
    """A text with what is to stand for its spans, as it is for the rest."""
    at, parts = 0, []
    for span in spans:
        parts += [text[at : span.begin], span.target]
        at = span.end
    return "".join([*parts, text[at:]])


def spans_within(spans: Sequence[ProtectedSpan], begin: int, end: int) -> tuple[ProtectedSpan, ...]:
    """The spans of a part of a text, where they are in that part."""
    first, last = bisect_left(spans, begin, key=begin_of), bisect_left(spans, end, key=begin_of)
    return tuple(span.shift(begin) for span in spans[first:last] if span.end <= end)
