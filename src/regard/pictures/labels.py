"""Token text as it can be shown: nothing invisible, nothing wider than its place."""

import re
from unicodedata import bidirectional, category

from rich.cells import cell_len, set_cell_size

JOINER = "\u200d"  # holds the parts of one emoji together
SPACES = {" ": "·", "\n": "⏎", "\t": "⇥", "Ġ": "·", "▁": "·", "Ċ": "⏎", "ĉ": "⇥"}
"""Faint signs for space, line break and tab, as text has them and as vocabularies spell them."""
BEFORE = re.compile("^[ \n\tĠ▁Ċĉ]+")
AFTER = re.compile("[ \n\t]+$")

Run = tuple[str, bool]
"""Letters, and whether they are a faint sign."""


def visible(text: str) -> str:
    """The text on one line, with a sign for every character that would hide, break or turn it around."""
    return "".join(map(_sign, text))


def signs(text: str) -> list[Run]:
    """A label in runs: the space around it, and line breaks anywhere, as faint signs."""
    before = BEFORE.match(text)
    start = before.end() if before else 0
    after = AFTER.search(text, start)
    stop = after.start() if after else len(text)
    runs = [("".join(SPACES[sign] for sign in text[:start]), True)]
    for part in re.split(r"([\n\t]+)", text[start:stop]):
        is_faint = bool(part) and part[0] in "\n\t"
        runs.append(("".join(SPACES[sign] for sign in part) if is_faint else visible(part), is_faint))
    runs.append(("".join(SPACES[sign] for sign in text[stop:]), True))
    return [run for run in runs if run[0]]


def label(text: str) -> str:
    """The same in one piece."""
    return "".join(run for run, _ in signs(text))


def isolate(text: str) -> str:
    """A label that keeps to itself among other words, even if it is read from right to left."""
    shown = label(text)
    return f"\u2068{shown}\u2069" if any(bidirectional(letter) in ("R", "AL", "AN") for letter in shown) else shown


def shorten(text: str, width: int) -> list[Run]:
    """The runs of a label, cut to so many cells and ended with … where they are more."""
    runs = signs(text)
    if sum(cell_len(run) for run, _ in runs) <= width:
        return runs
    parts, room = [], width - 1
    for run, is_faint in runs:
        part = run if cell_len(run) <= room else set_cell_size(run, room)
        parts.append((part, is_faint))
        room -= cell_len(part)
        if room <= 0:
            break
    return [*parts, ("…", True)]


def fit(text: str, width: int) -> str:
    """The label in exactly `width` terminal cells: filled with spaces, or cut and ended with …"""
    shown = label(text)
    if cell_len(shown) > width:
        return set_cell_size(shown, width - 1) + "…"
    return set_cell_size(shown, width)


def _sign(character: str) -> str:
    code = ord(character)
    if character == "\n":
        return "⏎"
    if code < 0x20:
        return chr(0x2400 + code)  # ␀ … ␟: Unicode has a picture of each
    if code == 0x7F:
        return "␡"
    if character != JOINER and category(character) in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"):
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character
