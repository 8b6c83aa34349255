"""Where sentences end: a text becomes sentences and what stands between them, and nothing is lost."""

import re
from collections.abc import Callable

Pieces = list[tuple[str, str]]
"""Sentences, each with the gap that follows it; joined they are the text."""

WIDE = "。！？｡．"  # no space follows them
NARROW = ".!?…‥؟۔։።។။।॥⁇⁈⁉"
CLOSING = "\"'”’»›)\\]}」』】）》〉〕］｝＂＇"
EITHER = "“‘«‹"  # these open in one language and close in another: beside a full stop with a space after it, they close
TOKENS = re.compile(
    rf"(?P<space>\s+)|(?P<wide>[{WIDE}][{WIDE}{NARROW}]*[{CLOSING}]*)|(?P<marks>[{NARROW}]+[{CLOSING}{EITHER}]*)"
)
OPENING = "\"'“‘„‚«‹»›([{「『【（《〈〔［｛¿¡-–—•*"
BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
CLAUSE = re.compile(r"[,;:،؛](?P<space>\s+)|[、，；：](?P<wide>\s*)|(?P<dash>\s+)[–—-]+\s")
SPACE = re.compile(r"(?P<space>\s+)")

REPEATED = re.compile(r"(\w+)(?:\s+\1){3,}", re.IGNORECASE)

TITLES = {
    "mr", "mrs", "ms", "mx", "messrs", "dr", "drs", "prof", "st", "ste", "mt", "rev", "hon", "gen", "col", "maj",
    "capt", "lt", "sgt", "gov", "sen", "rep", "pres", "supt", "vs", "cf", "approx", "hr", "dipl", "ing", "bzw", "vgl",
    "ca", "evtl", "ggf", "inkl", "sog", "mme", "mlle", "mlles", "mgr", "sr", "sra", "srta", "dña", "sig", "dott",
    "ул", "им", "тов",
}  # fmt: skip
"""Words that a name or an explanation follows."""
NUMBERED = {
    "no", "nos", "nr", "num", "art", "vol", "p", "pp", "pg", "s", "fig", "figs", "eq", "ch", "chap", "kap", "abs",
    "abb", "bd", "ed", "sec", "sect", "lib", "núm", "pág", "стр", "гл",
}  # fmt: skip
"""Words that a number follows."""
MONTHS = (
    "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez", "Jahrhundert", "Jh",
)  # fmt: skip
"""What follows an ordinal that is written with a full stop."""
LONGEST_WORD = 40


def split(text: str) -> Pieces:
    """The sentences of a text, each with the gap that follows it; white space before the first follows an empty one.

    A line break always ends a sentence; a full stop does unless it belongs to an abbreviation or to a number. Where
    it cannot be known, two sentences stay together.
    """
    pieces: Pieces = []
    begin, marks = 0, None
    for token in TOKENS.finditer(text):
        first, last = token.span()
        if token["space"] is None:
            marks = token
            if token["wide"] is None or last == len(text) or text[last].isspace() or is_in_number(text, first, last):
                continue
            first = last
        elif not (first == 0 or last == len(text) or BREAK.search(token["space"])) and (
            marks is None or marks.end() != first or not is_sentence_end(text, begin, marks, last)
        ):
            continue
        pieces.append((text[begin:first], text[first:last]))
        begin = last
    return [*pieces, (text[begin:], "")] if begin < len(text) else pieces


def split_repeated(sentence: str) -> Pieces:
    """The words of a sentence that is one word, said four times or more; nothing of another."""
    if not REPEATED.fullmatch(sentence):
        return []
    words = re.split(r"(\s+)", sentence)
    return list(zip(words[::2], [*words[1::2], ""], strict=True))


def is_sentence_end(text: str, begin: int, marks: re.Match[str], after: int) -> bool:
    """Whether a sentence that began at `begin` ends at these marks, and another begins at `after`."""
    following = text[after : after + LONGEST_WORD].lstrip(OPENING)
    if following[:1].islower():
        return False
    if marks["wide"] is not None or not re.fullmatch(rf"\.[{CLOSING}{EITHER}]*", marks[0]):
        return True
    words = text[max(begin, marks.start() - LONGEST_WORD) : marks.start()].split()
    word = words[-1].lstrip(OPENING) if words else ""
    if word.isdigit():
        is_item = not text[begin : marks.start()].strip(OPENING + "0123456789")
        return not is_item and not (len(word) <= 2 and following.startswith(MONTHS))
    if (len(word) == 1 and word.lower() != word.upper()) or re.fullmatch(r"(\w{1,2}\.)+\w{1,2}", word):
        return False
    return word.lower() not in TITLES and not (word.lower() in NUMBERED and following[:1].isdigit())


def is_in_number(text: str, first: int, last: int) -> bool:
    """Whether a wide full stop is the point of a number."""
    return text[first - 1 : first].isdigit() and text[last : last + 1].isdigit()


def split_long(text: str, fits: Callable[[str], bool], *, only_clauses: bool = False) -> Pieces:
    """A sentence in pieces that fit, cut near the middle: after a clause, else between words, unless `only_clauses`.

    Gives nothing where there is a piece that does not fit and has no place to be cut.
    """
    if fits(text):
        return [(text, "")]
    for pattern, margin in ((CLAUSE, max(len(text) // 4, 1)), (SPACE, 1))[: 1 if only_clauses else 2]:
        gaps = [match.span(match.lastgroup or 0) for match in pattern.finditer(text)]
        gaps = [gap for gap in gaps if margin <= gap[0] and gap[1] <= len(text) - margin]
        if gaps:
            first, last = min(gaps, key=lambda gap: abs(gap[0] + gap[1] - len(text)))
            left, right = (split_long(part, fits, only_clauses=only_clauses) for part in (text[:first], text[last:]))
            return [*left[:-1], (left[-1][0], text[first:last]), *right] if left and right else []
    return []
