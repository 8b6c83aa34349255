"""Subwords put together to words: looks at a word are added up, looks of a word are averaged."""

import re
from collections.abc import Sequence

from regard.errors import ShapeError

Words = Sequence[int | None]
"""For every token the number of its word; None for one that stands alone, as a special token does."""

SPECIAL = re.compile(r"<[^<>\s]+>|\[[A-Z]+\]|<\|[^<>|]*\|>")
BEGINS = (" ", "\n", "\t", "Ġ", "▁", "Ċ")  # byte-level BPE, SentencePiece, or the text itself
CONTINUES = "##"  # WordPiece
GOES_ON = ("@@", "￭")  # BPE as Sennrich et al. 2016 write it; OpenNMT
ENDS = "</w>"  # GPT


def word_numbers(tokens: Sequence[str]) -> list[int | None]:
    """Which word each token belongs to, told from how tokens are spelled; where nothing tells, each is a word."""
    plain = [token for token in tokens if not SPECIAL.fullmatch(token)]
    spaced = any(token.startswith(BEGINS) for token in plain)
    pieces = any(token.startswith(CONTINUES) and token != CONTINUES for token in plain)
    ended = any(token.endswith(ENDS) for token in plain)
    joined = any(token.endswith(GOES_ON) for token in plain)
    numbers: list[int | None] = []
    count, before = -1, ""
    for token in tokens:
        if SPECIAL.fullmatch(token):
            numbers.append(None)
            before = ""
            continue
        if not before:
            begins = True
        elif spaced:
            begins = token.startswith(BEGINS)
        elif pieces:
            begins = not token.startswith(CONTINUES) or token == CONTINUES
        elif ended:
            begins = before.endswith(ENDS)
        else:
            begins = not (joined and before.endswith(GOES_ON))
        count += begins
        numbers.append(count)
        before = token
    return numbers


def runs(words: Words) -> list[list[int]]:
    """The positions of each word, in the order in which words come; a token that stands alone is one of them."""
    positions: dict[object, list[int]] = {}
    for position, word in enumerate(words):
        positions.setdefault((position,) if word is None else word, []).append(position)
    return list(positions.values())


def join_labels(labels: Sequence[str], words: Words) -> list[str]:
    """The label of every word, its pieces joined as they are read."""
    _check(labels, words)
    return ["".join(_bare(labels[at]) for at in word) for word in runs(words)]


def group_words(table: list[list[float]], rows: Words | None, columns: Words | None) -> list[list[float]]:
    """A row for every word that looks, a column for every word that is looked at."""
    if columns is not None:
        inside = runs(columns)
        for row in table[:1]:
            _check(row, columns)
        table = [[sum(row[at] for at in word) for word in inside] for row in table]
    if rows is not None:
        _check(table, rows)
        table = [
            [sum(numbers) / len(word) for numbers in zip(*(table[at] for at in word), strict=True)]
            for word in runs(rows)
        ]
    return table


def _bare(token: str) -> str:
    """A piece without the sign that says where its word goes on or ends."""
    token = token.removesuffix(ENDS)
    token = token[len(CONTINUES) :] if token.startswith(CONTINUES) and token != CONTINUES else token
    for sign in GOES_ON:
        token = token.removesuffix(sign) or token
    return token


def _check(tokens: Sequence[object], words: Words) -> None:
    if len(tokens) != len(words):
        raise ShapeError(f"a word for each token expected: {len(tokens)}, got {len(words)}")
