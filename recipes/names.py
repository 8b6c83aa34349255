"""Pairs of sentences, and some of them again with other names and numbers: python recipes/names.py --help.

A small corpus has few names, some of them thousands of times; what it teaches is Tom, not that a name is copied. A pair
that has a name or a number on both sides is written again with others in their places, and so is one about him, her or
them whose pronoun a name can stand for in both languages. Half of the new names are common ones (names.txt) and names
of the corpus, half are made up. Words of other scripts, pictures and addresses, which nobody translates, come in their
places, behind sentences and alone. With --reads, sentences come in small letters alone in the language that is read,
and in capitals in both, as people write in a hurry. Names that the corpus translates one way or the other stay as they
are, and pairs with a number on one side alone are left out.

    python recipes/names.py ../shared/data/tatoeba-en-de/train.tsv.xz runs/names/train.tsv
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import click

from regard.text.lines import read_lines

Pair = tuple[str, str]

CAPITAL = re.compile(r"\b[A-ZÄÖÜ][a-zäöüßéè]+\b")
NUMBER = re.compile(r"\b\d+\b")
PRONOUNS = (("^He\\b", "^Er\\b"), ("^She\\b", "^Sie\\b"), (r"\bhim\b", r"\b(?:ihn|ihm)\b"))
"""What a name may stand for, in both languages, where each has it once: there it is the same in all cases."""
OFTEN, SURE = 3, 0.7  # times that a name occurs, and the share of its pairs in which it is the same on both sides
SHORT = 36  # letters of a sentence that also comes in capitals, which are spelled letter by letter
MORE = 3  # times as often are numbers drawn anew: fewer pairs have any
COMMON = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split()
"""First names, and some last ones, that people have in many countries."""
TRANSLATED = {"Alice": "Elke", "Jackson": "Johannsen", "John": "Johannes"}
"""Names that have become others in a part of the corpus."""
SCRIPTS = ["αω", "ая", "את", "بي", "कह", "กฮ", "ぁん", "ァン", "一龠", "가힣"]
"""The first and the last letter of scripts that the corpus does not have."""
PICTURES = ["🌀🏿", "🐀🙏", "🚀🛳", "🤐🧿", "☀⛿"]
ENDS = ["com", "org", "net", "de", "info"]


def found_names(pairs: Iterable[Pair]) -> list[str]:
    """Words with a capital that is not the beginning's, nearly always the same in German."""
    inside, small, both = Counter[str](), Counter[str](), Counter[str]()
    for english, german in pairs:
        words = CAPITAL.findall(english)
        inside.update(words[1:] if words and english.startswith(words[0]) else words)
        small.update(word.capitalize() for word in re.findall(r"\b[a-z]+\b", english))
        theirs = set(CAPITAL.findall(german)) | {word[:-1] for word in CAPITAL.findall(german) if word.endswith("s")}
        both.update({word for word in words if word in theirs})
    return sorted(
        word
        for word, count in inside.items()
        if count >= OFTEN and small[word] == 0 and both[word] >= OFTEN and both[word] >= SURE * count
    )


@dataclass(frozen=True)
class Inventor:
    """Draws names and other things that are the same in both languages."""

    draw: random.Random
    pool: list[str]
    words: list[str]
    """All words of the corpus, whose parts make new names: whatever a name is made of is met in one."""

    @classmethod
    def of(cls, pairs: Iterable[Pair], names: Iterable[str], draw: random.Random) -> "Inventor":
        words = {word for pair in pairs for text in pair for word in re.findall(r"\b[a-zäöü]{2,}\b", text)}
        return cls(draw, [*names, *COMMON], sorted(words))

    def name(self) -> str:
        """A name, in a third of all cases with a last name behind it."""
        names = (self.draw.choice(self.pool) if self.draw.random() < 0.5 else self.made_up() for _ in range(2))
        return " ".join(islice(names, 1 if self.draw.random() < 0.65 else 2))

    def made_up(self) -> str:
        """A name that nobody has: parts of two or three words or names; or a word, as many people are called."""
        begin, middle, end = self.draw.choices(self.draw.choice([self.words, self.pool]), k=3)
        kind = self.draw.random()
        if kind < 0.25:
            return self.draw.choice(self.words).capitalize()
        inside = middle[1 : 1 + self.draw.randint(2, 4)] if kind < 0.6 else ""
        return (begin[: self.draw.randint(1, 5)] + inside + end[-self.draw.randint(2, 4) :]).capitalize()

    def number(self, old: str) -> str:
        """Another number, mostly as long as the old one; some have the same digit again and again."""
        length = len(old) if self.draw.random() < 0.5 else self.draw.randint(2, 6)
        if length > 2 and self.draw.random() < 0.3:
            digits = self.draw.choice("123456789") + self.draw.choice("0123456789")
            return digits[0] + "".join(self.draw.choices(digits, k=length - 1))
        return str(self.draw.randint(10 ** (length - 1) if length > 1 else 2, 10**length - 1))

    def foreign(self) -> str:
        """A word in another script."""
        first, last = self.draw.choice(SCRIPTS)
        return "".join(chr(self.draw.randint(ord(first), ord(last))) for _ in range(self.draw.randint(1, 5)))

    def picture(self) -> str:
        first, last = self.draw.choice(PICTURES)
        return "".join(chr(self.draw.randint(ord(first), ord(last))) for _ in range(self.draw.choice([1, 1, 2])))

    def address(self) -> str:
        """Of a page, or of somebody."""
        place = f"{self.draw.choice(self.words)}.{self.draw.choice(ENDS)}"
        if self.draw.random() < 0.3:
            return f"{self.draw.choice(self.words)}@{place}"
        path = "".join(f"/{self.draw.choice(self.words)}" for _ in range(self.draw.randint(0, 2)))
        return f"{self.draw.choice(['https://', 'https://www.', 'www.'])}{place}{path}"

    def odd(self) -> str:
        """Anything that nobody translates."""
        return self.draw.choice([self.foreign, self.picture, self.address])()


def named(pair: Pair, names: set[str], draw: Callable[[], str]) -> Pair | None:
    """The pair with other names, or names for its pronouns; None where nothing of the kind is on both sides."""
    english, german = pair
    changes: dict[str, str] = {}
    for word in dict.fromkeys(CAPITAL.findall(english)):
        here, there = (len(re.findall(rf"\b{word}{end}\b", text)) for text, end in ((english, ""), (german, "s?")))
        if word in names and here == there:
            changes[word] = draw()
    if changes:
        asked = "|".join(map(re.escape, changes))
        english = re.sub(rf"\b({asked})\b", lambda hit: changes[hit[1]], english)
        german = re.sub(rf"\b({asked})(s?)\b", lambda hit: possessive(changes[hit[1]], hit[2]), german)
    for mine, theirs in PRONOUNS:
        if len(re.findall(mine, english)) == len(re.findall(theirs, german)) == 1:
            name = draw()
            english, german = re.sub(mine, name, english), re.sub(theirs, name, german)
    return (english, german) if (english, german) != pair else None


def numbered(pair: Pair, draw: Callable[[str], str]) -> Pair | None:
    """The pair with other numbers; None where the sides do not have the same."""
    mine, theirs = (Counter(NUMBER.findall(text)) for text in pair)
    changes = {number: draw(number) for number in mine if mine[number] == theirs[number]}
    if not changes:
        return None
    english, german = (NUMBER.sub(lambda hit: changes.get(hit[0], hit[0]), text) for text in pair)
    return english, german


def adorned(pair: Pair, odd: str, draw: random.Random) -> Pair:
    """The pair with something odd behind both sentences, or before their marks."""
    before = draw.random() < 0.5 and all(text[-1:] in ".?!" for text in pair)
    english, german = (f"{text[:-1]} {odd}{text[-1]}" if before else f"{text} {odd}" for text in pair)
    return english, german


def exclaimed(pair: Pair) -> Pair | None:
    """The pair with other marks; None where it does not say something plain on both sides."""
    english, german = pair
    return (english[:-1] + "!", german[:-1] + "!") if english.endswith(".") and german.endswith(".") else None


def hurried(pairs: list[Pair], reads: str, count: int, draw: random.Random) -> list[Pair]:
    """So many pairs whose first language is read in small letters, half of them without marks; as many in capitals."""
    found = []
    for pair in draw.choices(pairs, k=count):
        bare = draw.random() < 0.5 and all(text[-1:] == "." for text in pair)
        english, german = (text.removesuffix(".") if bare else text for text in pair)
        found.append((english.lower(), german) if reads == "english" else (english, german.lower()))
    short = [pair for pair in pairs if max(map(len, pair)) <= SHORT]
    return found + [(english.upper(), german.upper()) for english, german in draw.choices(short, k=count)]


def agreed(pair: Pair) -> Pair:
    """The pair with one mark: what is an order with a point in English often has an exclamation mark in German.

    And with one name, where it has become another.
    """
    english, german = pair
    for mine, theirs in TRANSLATED.items():
        if re.search(rf"\b{mine}\b", english):
            german = re.sub(rf"\b{theirs}\b", mine, german)
    if {english[-1:], german[-1:]} == {".", "!"}:
        return english[:-1] + "!", german[:-1] + "!"
    return english, german


def counts_alike(pair: Pair) -> bool:
    """Whether both sides have the same numbers."""
    english, german = (Counter(NUMBER.findall(text)) for text in pair)
    return english == german


def possessive(name: str, ending: str) -> str:
    """Toms, but Hans' and Max'."""
    return name + ("'" if ending and name[-1] in "sxz" else ending)


def more(
    pairs: list[Pair], *, times: int = 2, odd: int = 6000, seed: int = 1, reads: str = "", hurry: int = 20000
) -> list[Pair]:
    """All pairs that have the same numbers, with one mark; those with names or pronouns again, and odd ones.

    What has names or pronouns comes so many times again, what has numbers more often. Odd things stand for names, adorn
    sentences, and come alone, `odd` times each; as many pairs are exclaimed. `hurry` pairs are `hurried` where a
    language is said that is read.
    """
    pairs = [agreed(pair) for pair in pairs if counts_alike(pair)]
    own = found_names(pairs)
    names, draw = set(own), random.Random(seed)
    inventor = Inventor.of(pairs, own, draw)
    again = [named(pair, names, inventor.name) for _ in range(times) for pair in pairs]
    again += [numbered(pair, inventor.number) for _ in range(MORE * times) for pair in pairs]
    hits = (named(pair, names, inventor.odd) for pair in draw.sample(pairs, len(pairs)))
    again += islice(filter(None, hits), odd)
    again += [exclaimed(pair) for pair in draw.choices(pairs, k=odd)]
    again += [adorned(pair, inventor.odd(), draw) for pair in draw.choices(pairs, k=odd)]
    again += hurried(pairs, reads, hurry, draw) if reads else []
    alone = (" ".join(inventor.odd() for _ in range(draw.choice([1, 1, 2, 3]))) for _ in range(odd))
    return [*pairs, *(pair for pair in again if pair is not None), *((text, text) for text in alone)]


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--times", default=2, show_default=True, help="How often a pair with names is written again.")
@click.option("--seed", default=1, show_default=True)
@click.option("--reads", type=click.Choice(["english", "german"]), default=None, help="Which of them comes in a hurry.")
def main(source: Path, target: Path, times: int, seed: int, reads: str | None) -> None:
    """Write the English<TAB>German pairs of SOURCE, and the renamed ones behind them, to TARGET."""
    pairs = [(english, german) for english, german in (line.split("\t")[:2] for line in read_lines(source))]
    found = more(pairs, times=times, seed=seed, reads=reads or "")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{english}\t{german}\n" for english, german in found), encoding="utf-8")
    click.echo(f"{len(pairs)} pairs, {len(found) - len(pairs)} more with other names or numbers: {target}")


if __name__ == "__main__":
    main()
