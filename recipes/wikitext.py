"""Sentences of WikiText as people write them: python recipes/wikitext.py TOKENS TARGET.

Their translations by a model of our own teach the other direction to write about what encyclopedias write about: the
side that is learned is the one that people wrote.

    python recipes/wikitext.py ../shared/data/wikitext-2/wiki.train.tokens.xz runs/general/wikitext.en
    regard translate -m en-de --input runs/general/wikitext.en --output runs/general/wikitext.de --no-protect
    paste runs/general/wikitext.en runs/general/wikitext.de > runs/general/wikitext.tsv
"""

import re
from itertools import cycle
from pathlib import Path

import click

from regard.text.lines import read_lines
from regard.text.sentences import split

SHORTEST, LONGEST = 5, 40  # words
SPACED = (
    (r" @(.)@ ", r"\1"),
    (r" ([,.:;!?%)\]])", r"\1"),
    (r"([(\[£$€]) ", r"\1"),
    (r" ('(?:s|re|ve|ll|d|m)\b)", r"\1"),
    (r" (n't)\b", r"\1"),
    (r"(\w) '(?= )", r"\1'"),
    (r"(\d) – (?=\d)", r"\1–"),
)
"""Spaces that WikiText puts around signs, and what stands there in print."""
UNKNOWN = "<unk>"


def sentences(lines: list[str]) -> list[str]:
    """Whole sentences of ordinary length without an unknown word, each once."""
    texts = (spelled(line.strip()) for line in lines if line.strip() and not line.strip().startswith("="))
    ends = (sentence for text in texts for sentence, _ in split(text))
    return [one for one in dict.fromkeys(ends) if is_whole(one)]


def is_whole(sentence: str) -> bool:
    """Whether it begins and ends as sentences do, and all of its words are known."""
    count = len(sentence.split())
    return (
        SHORTEST <= count <= LONGEST
        and UNKNOWN not in sentence
        and sentence[0].isupper()
        and sentence[-1] == "."
        and sentence.count('"') % 2 == 0
        and not re.search(r"[^\x20-\x7e–—éèáóíöüäñç£€°×]", sentence)
    )


def spelled(line: str) -> str:
    """A line without the spaces around its signs."""
    for spaced, written in SPACED:
        line = re.sub(spaced, written, line)
    parts = zip(line.split('"'), cycle([False, True]))  # every other one is quoted
    return "".join(f'"{part.strip()}"' if quoted else part for part, quoted in parts)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("tokens", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
def main(tokens: Path, target: Path) -> None:
    """Write the sentences of the file TOKENS to TARGET, one a line."""
    found = sentences(list(read_lines(tokens)))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{sentence}\n" for sentence in found), encoding="utf-8")
    click.echo(f"{len(found):,} sentences: {target}")


if __name__ == "__main__":
    main()
