"""Pairs of sentences, and some of them again with other names and numbers: python recipes/names.py --help.

A small corpus has few names, some of them thousands of times; what it teaches is Tom, not that a name is copied. A pair
that has a name or a number on both sides is written again with others in their places, and so is one about him, her or
them whose pronoun a name can stand for in both languages. Half of the new names are common ones and names of the
corpus, half are made up.

    python recipes/names.py ../shared/data/tatoeba-en-de/train.tsv.xz runs/names/train.tsv
"""

import random
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from regard.text.lines import read_lines

Pair = tuple[str, str]

CAPITAL = re.compile(r"\b[A-ZÄÖÜ][a-zäöüßéè]+\b")
NUMBER = re.compile(r"\b\d+\b")
PRONOUNS = (("^He\\b", "^Er\\b"), ("^She\\b", "^Sie\\b"), (r"\bhim\b", r"\b(?:ihn|ihm)\b"))
"""What a name may stand for, in both languages, where each has it once: there it is the same in all cases."""
OFTEN, SURE = 3, 0.7  # times that a name occurs, and the share of its pairs in which it is the same on both sides
MORE = 3  # times as often are numbers drawn anew: fewer pairs have any
COMMON = [
    "Adam", "Agnes", "Albert", "Alexander", "Alfred", "Amanda", "Amy", "Andrea", "Andrew", "Angela", "Anna", "Anne",
    "Anthony", "Arthur", "Barbara", "Benjamin", "Bernard", "Bertha", "Carl", "Carlos", "Carol", "Caroline",
    "Catherine", "Charles", "Charlotte", "Christian", "Christine", "Christopher", "Claire", "Claudia", "Cynthia",
    "Daniel", "Deborah", "Dennis", "Diego", "Donald", "Doris", "Dorothy", "Edward", "Elizabeth", "Ellen", "Eric",
    "Erika", "Ernest", "Esther", "Eugene", "Felix", "Fiona", "Florence", "Frances", "Fred", "Gabriel", "Gary",
    "George", "Gerald", "Gloria", "Gordon", "Grace", "Hannah", "Harold", "Harry", "Hector", "Henry", "Hugo", "Ingrid",
    "Irene", "Isabel", "Jacob", "James", "Janet", "Jason", "Jennifer", "Jessica", "Joan", "Johanna", "Jonathan",
    "Joseph", "Joshua", "Judith", "Justin", "Katharina", "Keith", "Kenneth", "Kimberly", "Klaus", "Leonard", "Linda",
    "Louis", "Louise", "Luis", "Margaret", "Maria", "Marie", "Mark", "Marlene", "Matthew", "Max", "Megan", "Melissa",
    "Michael", "Michelle", "Miguel", "Monika", "Nancy", "Nathan", "Nicole", "Norman", "Olivia", "Oscar", "Otto",
    "Pamela", "Patricia", "Patrick", "Paul", "Paula", "Philip", "Rachel", "Ralph", "Raymond", "Rebecca", "Richard",
    "Rita", "Roger", "Ronald", "Rosa", "Rudolf", "Ruth", "Ryan", "Samuel", "Sandra", "Sarah", "Scott", "Sebastian",
    "Sharon", "Sofia", "Stefan", "Stella", "Stephen", "Teresa", "Theodor", "Theresa", "Timothy", "Ursula", "Valerie",
    "Vincent", "Virginia", "Walter", "Werner", "William", "Yvonne",
]  # fmt: skip
BEGIN = [
    "B", "Br", "D", "F", "G", "H", "J", "K", "Kl", "L", "M", "N", "P", "R", "S", "St", "T", "Tr", "V", "W", "Z", "",
]  # fmt: skip
MIDDLE = ["a", "e", "i", "o", "u", "ia", "ei", "y", "au"]
INSIDE = ["b", "d", "l", "ll", "m", "n", "nn", "nd", "r", "rt", "s", "ss", "t", "v", "x", "z", "ck", "th"]
END = ["", "", "n", "s", "l", "r", "t", "m", "ck", "d", "x"]


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


def made_up(draw: random.Random) -> str:
    """A name that nobody has: two or three syllables."""
    inner = "".join(draw.choice(INSIDE) + draw.choice(MIDDLE) for _ in range(draw.choice([1, 1, 2])))
    return (draw.choice(BEGIN) + draw.choice(MIDDLE) + inner + draw.choice(END)).capitalize()


def named(pair: Pair, names: set[str], pool: list[str], draw: random.Random) -> Pair | None:
    """The pair with other names, or names for its pronouns; None where nothing of the kind is on both sides."""
    english, german = pair
    changes: dict[str, str] = {}
    for word in dict.fromkeys(CAPITAL.findall(english)):
        here, there = (len(re.findall(rf"\b{word}{end}\b", text)) for text, end in ((english, ""), (german, "s?")))
        if word in names and here == there:
            changes[word] = drawn(pool, draw)
    if changes:
        asked = "|".join(map(re.escape, changes))
        english = re.sub(rf"\b({asked})\b", lambda hit: changes[hit[1]], english)
        german = re.sub(rf"\b({asked})(s?)\b", lambda hit: possessive(changes[hit[1]], hit[2]), german)
    for mine, theirs in PRONOUNS:
        if len(re.findall(mine, english)) == len(re.findall(theirs, german)) == 1:
            name = drawn(pool, draw)
            english, german = re.sub(mine, name, english), re.sub(theirs, name, german)
    return (english, german) if (english, german) != pair else None


def numbered(pair: Pair, draw: random.Random) -> Pair | None:
    """The pair with other numbers, as long as those that it has; None where the sides do not have the same."""
    mine, theirs = (Counter(NUMBER.findall(text)) for text in pair)
    changes = {}
    for number in mine:
        if mine[number] == theirs[number]:
            low = 10 ** (len(number) - 1) if len(number) > 1 else 2
            changes[number] = str(draw.randint(low, 10 ** len(number) - 1))
    if not changes:
        return None
    english, german = (NUMBER.sub(lambda hit: changes.get(hit[0], hit[0]), text) for text in pair)
    return english, german


def drawn(pool: list[str], draw: random.Random) -> str:
    return draw.choice(pool) if draw.random() < 0.5 else made_up(draw)


def possessive(name: str, ending: str) -> str:
    """Toms, but Hans' and Max'."""
    return name + ("'" if ending and name[-1] in "sxz" else ending)


def more(pairs: list[Pair], *, times: int = 2, seed: int = 1) -> list[Pair]:
    """All pairs, then those with names or pronouns so many times with others, then those with numbers."""
    draw, own = random.Random(seed), found_names(pairs)
    names, pool = set(own), [*own, *COMMON]
    again = [named(pair, names, pool, draw) for _ in range(times) for pair in pairs]
    again += [numbered(pair, draw) for _ in range(MORE * times) for pair in pairs]
    return [*pairs, *(pair for pair in again if pair is not None)]


@click.command()
@click.argument("source", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("target", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--times", default=2, show_default=True, help="How often a pair with names is written again.")
@click.option("--seed", default=1, show_default=True)
def main(source: Path, target: Path, times: int, seed: int) -> None:
    """Write the English<TAB>German pairs of SOURCE, and the renamed ones behind them, to TARGET."""
    pairs = [(english, german) for english, german in (line.split("\t")[:2] for line in read_lines(source))]
    found = more(pairs, times=times, seed=seed)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{english}\t{german}\n" for english, german in found), encoding="utf-8")
    click.echo(f"{len(pairs)} pairs, {len(found) - len(pairs)} more with other names or numbers: {target}")


if __name__ == "__main__":
    main()
