"""English text of many kinds for a masked encoder, and what it is measured by: python recipes/masked.py --help.

Everyday sentences, parliament thinned, speech, encyclopedia, manuals, stories and web pages, each sentence once, and
the sentences of WikiText-2 of which no word was cut out; one line in a hundred is valid, one in a hundred test, by its
own spelling, so that no sentence is in two of them.

    python recipes/masked.py text ../shared/data runs/masked
    regard train recipes/masked.toml
    python recipes/masked.py score runs/masked-encoder/model runs/masked
    python recipes/ship.py runs/masked-encoder masked-en
    python recipes/masked.py score masked-en runs/masked --json > masked-en.json
    python recipes/ship.py runs/masked-encoder masked-en --scores masked-en.json
"""

import hashlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).parent))
from general import ONCE, THINNED, THRICE, TWICE

from regard.text.lines import read_lines

PARLIAMENT, FEWEST, MOST = 200_000, 3, 60  # sentences of parliament; words of a sentence
WORD = re.compile(r"[a-z]+")
PARTS = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[^\sa-z0-9]")


def english(path: Path) -> list[str]:
    return [line.split("\t")[0].strip() for line in read_lines(path)]


def encyclopedia(path: Path) -> Iterator[str]:
    """Sentences of WikiText-2 as people write them; headings and sentences with a word cut out are left."""
    for line in read_lines(path):
        text = line.strip()
        if not text or text.startswith("="):
            continue
        text = re.sub(r" @(.)@ ", r"\1", text)
        text = re.sub(r" ([.,;:!?%)\]]|'s\b|n't\b|'[a-z]+\b)", r"\1", text)
        text = re.sub(r"([(\[$]) ", r"\1", text)
        text = re.sub(r'" ([^"]*) "', r'"\1"', text)
        yield from (one for one in re.split(r"(?<=[.!?]) (?=[A-Z\"])", text) if "<unk>" not in one)


def sentences(data: Path, seed: int) -> list[str]:
    draw, folder = random.Random(seed), data / "general-en-de"
    lines = english(data / "tatoeba-en-de" / "train.tsv.xz")
    parliament = english(folder / "europarl.tsv.xz")
    lines += draw.sample(parliament, min(PARLIAMENT, len(parliament)))
    for name in (*THRICE, *TWICE, *ONCE):
        lines += english(folder / f"{name}.tsv.xz")
    for name, share in THINNED.items():
        pairs = english(folder / f"{name}.tsv.xz")
        lines += draw.sample(pairs, int(share * len(pairs)))
    lines += encyclopedia(data / "wikitext-2" / "wiki.train.tokens.xz")
    lines = sorted({line for line in lines if FEWEST <= len(line.split()) <= MOST})
    draw.shuffle(lines)
    return lines


def split_of(line: str) -> str:
    """Which file a sentence is in: sentences that differ in capitals and signs alone are together."""
    spelling = " ".join(WORD.findall(line.lower()))
    return {0: "valid", 1: "test"}.get(hashlib.sha256(spelling.encode()).digest()[0] % 100, "train")


class Neighbours:
    """The word between two others, by how often each pair stood together: P(word | left) P(right | word)."""

    def __init__(self, lines: Iterator[list[str]], candidates: set[str], weight: float = 5.0) -> None:
        self.candidates, self.weight = candidates, weight
        self.words: Counter[str] = Counter()
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.after: dict[str, set[str]] = {}
        self.before: dict[str, set[str]] = {}
        for words in lines:
            row = ["<s>", *words, "</s>"]
            self.words.update(row)
            self.pairs.update(pairwise(row))
        for left, right in self.pairs:
            self.after.setdefault(left, set()).add(right)
            self.before.setdefault(right, set()).add(left)
        self.total = self.words.total()
        self.common = [word for word, _ in self.words.most_common() if word in candidates][:100]

    def conditional(self, word: str, left: str) -> float:
        return (self.pairs[left, word] + self.weight * self.words[word] / self.total) / (self.words[left] + self.weight)

    def guess(self, left: str, right: str) -> str:
        near = (self.after.get(left, set()) | self.before.get(right, set())) & self.candidates

        def fit(word: str) -> float:
            return self.conditional(word, left) * self.conditional(right, word)

        return max(sorted(near.union(self.common)), key=fit)


@click.group()
def main() -> None:
    """A masked encoder's text and its measure."""


@main.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--seed", default=1, show_default=True)
def text(data: Path, folder: Path, seed: int) -> None:
    """Write train.txt, valid.txt and test.txt, a sentence a line, from the sets in DATA to FOLDER."""
    folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, list[str]] = {"train": [], "valid": [], "test": []}
    for line in sentences(data, seed):
        parts[split_of(line)].append(line)
    for name, lines in parts.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        click.echo(f"{name}: {len(lines):,} sentences, {sum(len(line.split()) for line in lines):,} words")


@main.command()
@click.argument("model")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--split", type=click.Choice(["valid", "test"]), default="test", show_default=True)
@click.option("--words", default=2000, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print what recipes/ship.py --scores reads.")
def score(model: str, folder: Path, split: str, words: int, seed: int, as_json: bool) -> None:
    """How often the first guess of MODEL is the hidden word, beside a bigram model that knows both neighbours.

    One word of a sentence is hidden, any word that is one piece of the model's vocabulary; both choose among these. The
    bigram model counts the same training text.
    """
    import regard

    task = regard.load(model, task="fill")
    vocabulary = {token for token in map(task.tokenizer.token, range(len(task.tokenizer))) if WORD.fullmatch(token)}
    draw = random.Random(seed)
    lines = [line.lower() for line in read_lines(folder / f"{split}.txt")]
    draw.shuffle(lines)
    asked: list[tuple[str, str, str, str]] = []  # text with a gap, left, hidden, right
    for line in lines:
        spans = [match.span() for match in PARTS.finditer(line)]
        row = ["<s>", *(line[slice(*span)] for span in spans), "</s>"]
        places = [at for at, word in enumerate(row) if word in vocabulary]
        if places and len(asked) < words:
            at = draw.choice(places)
            begin, end = spans[at - 1]
            asked.append((f"{line[:begin]}[MASK]{line[end:]}", row[at - 1], row[at], row[at + 1]))
    neighbours = Neighbours((PARTS.findall(line.lower()) for line in read_lines(folder / "train.txt")), vocabulary)
    bigram = sum(neighbours.guess(left, right) == hidden for _, left, hidden, right in asked)
    answers = task([text for text, *_ in asked], top=50)
    right = 0
    for answer, (_, _, hidden, _) in zip(answers, asked, strict=True):
        guesses = (task.tokenizer.token(choice.id) for choice in answer.candidates[0])
        right += next((word for word in guesses if word in vocabulary), None) == hidden
    count = len(asked)
    if as_json:
        scores = {"first_guess": 100 * right / count, "bigram_guess": 100 * bigram / count}
        click.echo(json.dumps({"texts": count, "scores": scores}))
        return
    click.echo(
        f"{split}: {count:,} hidden words: {model} right {right / count:.1%}, bigrams of both neighbours "
        f"{bigram / count:.1%}: {right / max(bigram, 1):.2f} times as often"
    )


if __name__ == "__main__":
    main()
