"""Which language a text is in: its three-letter sequences, compared with those of each language that is known.

The table is written by recipes/languages.py: for each language the commonest trigrams with -10 log2 of their share. A
text is as likely as the product of the shares of its trigrams (Dunning 1994), and of languages that a server does not
translate nothing is said.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from regard.json_text import parse_json

TABLE = "trigrams.json"
UNSEEN = 200  # -10 log2 of the share of a trigram that is not in the table
MOST_LETTERS = 4000  # of a text: more tell nothing new
DEPENDENCE = 3.0  # each letter is counted in three trigrams
WORDS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class DetectedLanguage:
    """A language and how sure it is, from 0 to 1."""

    code: str
    confidence: float


def trigrams(text: str) -> Iterable[str]:
    """The sequences of three letters in each word, with a space around it."""
    for word in WORDS.findall(text[:MOST_LETTERS].lower()):
        padded = f" {word} "
        yield from (padded[at : at + 3] for at in range(len(padded) - 2))


@cache
def language_tables() -> dict[str, dict[str, int]]:
    """The table of each language that is known."""
    return parse_json((files("regard.serving") / TABLE).read_bytes())


def detect_language(text: str, languages: Collection[str]) -> list[DetectedLanguage]:
    """The languages of `languages` that the text may be in, the likeliest first; all alike where nothing tells."""
    tables = {code: table for code, table in language_tables().items() if code in languages}
    unknown = sorted(set(languages) - set(tables))
    counts = Counter(trigrams(text))
    costs = {
        code: sum(count * table.get(trigram, UNSEEN) for trigram, count in counts.items())
        for code, table in tables.items()
    }
    least = min(costs.values(), default=0)
    shares = {code: 2.0 ** (-(cost - least) / (10 * DEPENDENCE)) for code, cost in costs.items()}
    total = math.fsum(shares.values()) or 1.0
    ranked = sorted(shares, key=lambda code: (-shares[code], code))
    detected = [DetectedLanguage(code, shares[code] / total) for code in ranked]
    return detected + [DetectedLanguage(code, 1.0 if len(languages) == 1 else 0.0) for code in unknown]
