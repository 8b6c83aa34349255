"""Writes the table that `regard serve` tells languages by, and measures it on texts that it was not made from.

    python recipes/languages.py ../shared/data src/regard/serving/trigrams.json

Tatoeba's training sentences, English, German and French; tested on its test sentences.
"""

import json
import lzma
import math
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from regard.serving.detection import detect_language, trigrams

KEPT = 1500  # trigrams of a language
SOURCES = {"en": ("tatoeba-en-de", 0), "de": ("tatoeba-en-de", 1), "fr": ("tatoeba-en-fr", 1)}


def sentences(data: Path, language: str, part: str) -> Iterator[str]:
    folder, column = SOURCES[language]
    with lzma.open(data / folder / f"{part}.tsv.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t")[column]


def table(data: Path, language: str) -> dict[str, int]:
    """The commonest trigrams, with -10 log2 of their share."""
    counts = Counter(trigram for sentence in sentences(data, language, "train") for trigram in trigrams(sentence))
    total = counts.total()
    return {trigram: round(-10 * math.log2(count / total)) for trigram, count in sorted(counts.most_common(KEPT))}


def main(data: Path, path: Path) -> None:
    tables = {language: table(data, language) for language in SOURCES}
    path.write_text(json.dumps(tables, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    for language in SOURCES:
        texts = list(sentences(data, language, "test"))
        right = sum(detect_language(text, SOURCES)[0].code == language for text in texts)
        print(f"{language}: {right} of {len(texts)} test sentences ({right / len(texts):.2%})")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
