"""Whether a translator stays sane: names, numbers and dates survive, nothing loops, nothing vanishes.

    python bench/sane.py en-de
    python bench/sane.py de-en --show 20

A thousand sentences are filled in from templates that no recipe has, and a thousand hard inputs are drawn: paragraphs,
lists, headlines, capitals, typing errors, two languages at once, single letters, nothing. Both are the same for every
model, from a seed. A name or a number is damaged if it does not stand in the translation as it stood in the source; a
date, if its day and year do not: what the model itself keeps, nothing being protected. The hard inputs are translated
as they are without an option. A loop is four words in a row that come more than three times, unless the source has
them. Lengths are in words, of inputs of at least five.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import click

FIRST = (
    "Anja", "Bogdan", "Chidi", "Dolores", "Emeka", "Farida", "Gunnar", "Hanneke", "Ines", "Joaquin", "Katarzyna",
    "Leif", "Mireille", "Nikolai", "Oksana", "Priya", "Quentin", "Rahel", "Sanjay", "Tamara", "Ulrike", "Viktor",
    "Wanda", "Yusuf",
)  # fmt: skip
LAST = (
    "Abernathy", "Brzezinski", "Castellanos", "Delacroix", "Eriksen", "Fitzgerald", "Grabowski", "Holzapfel", "Ivanova",
    "Jaramillo", "Kowalczyk", "Lindqvist", "Mbeki", "Nakamura", "Okonkwo", "Petrenko", "Quispe", "Rasmussen", "Szabo",
    "Thorvaldsen", "Uribe", "Vasquez", "Wozniak", "Yamaguchi", "Zimmermann",
)  # fmt: skip
TEMPLATES = {
    "en-de": (
        "{first} {last} was elected to the board on {date}.", "The ticket to {last} costs {number} euros.",
        "According to {first}, only {number} of {number2} rooms are free.", "{first} moved to Brno in {year}.",
        "Please send the letter to {first} {last} before {date}.", "Room {number} is on floor {small}.",
        "In {year} the company of {last} sold {number} bicycles.", "{first} and {last} met in {year}.",
        "My neighbour {last} has lived here since {year}.", "The meeting on {date} was cancelled by {first}.",
        "Flight {number} was delayed by {small} hours.", "Mr {last} wrote {number2} pages about the war.",
        "The bridge, built in {year}, is {number} metres long.", "Call {first} at {number2} if there is a problem.",
        "{last} scored {small} goals in {number} games.", "On {date}, {first} {last} opened a bakery in Lyon.",
        "Did {first} really pay {number2} dollars for it?", "The study by {last} included {number2} patients.",
        "We met {first} {last} at the conference in {year}.", "Only {number} people voted for {last}.",
    ),
    "de-en": (
        "{first} {last} wurde am {date} in den Vorstand gewählt.", "Die Karte nach {last} kostet {number} Euro.",
        "Laut {first} sind nur {number} von {number2} Zimmern frei.", "{first} zog {year} nach Brno.",
        "Bitte schicken Sie den Brief vor dem {date} an {first} {last}.", "Zimmer {number} liegt im Stock {small}.",
        "Im Jahr {year} verkaufte die Firma von {last} {number} Fahrräder.", "{first} und {last} trafen sich {year}.",
        "Mein Nachbar {last} wohnt seit {year} hier.", "Die Sitzung am {date} wurde von {first} abgesagt.",
        "Flug {number} hatte {small} Stunden Verspätung.", "Herr {last} schrieb {number2} Seiten über den Krieg.",
        "Die Brücke, die {year} gebaut wurde, ist {number} Meter lang.", "Ruf {first} unter {number2} an.",
        "{last} schoss {small} Tore in {number} Spielen.", "Am {date} eröffnete {first} {last} eine Bäckerei in Lyon.",
        "Hat {first} wirklich {number2} Dollar dafür bezahlt?", "Die Studie von {last} umfasste {number2} Patienten.",
        "Wir trafen {first} {last} bei der Tagung {year}.", "Nur {number} Leute stimmten für {last}.",
    ),
}  # fmt: skip
MONTHS = {
    "en-de": (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ),
    "de-en": (
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
        "Dezember",
    ),
}  # fmt: skip
REPEATED = re.compile(r"(\S{1,12}?)\1{7,}")  # letters that come eight times and more without a space between
TEXTS = {
    "en-de": (
        "The old bridge was closed for repairs last week.", "Nobody knew why the lights went out.",
        "She opened the window and listened to the rain.", "The new law will come into force in spring.",
        "Prices have risen faster than wages.", "He asked whether the library was still open.",
        "Most of the visitors came from abroad.", "The engine makes a strange noise when it is cold.",
        "They discussed the budget until late at night.", "A cat was sleeping on the warm roof of the car.",
    ),
    "de-en": (
        "Die alte Brücke wurde letzte Woche wegen Reparaturen gesperrt.", "Niemand wusste, warum das Licht ausging.",
        "Sie öffnete das Fenster und hörte dem Regen zu.", "Das neue Gesetz tritt im Frühjahr in Kraft.",
        "Die Preise sind schneller gestiegen als die Löhne.", "Er fragte, ob die Bibliothek noch offen sei.",
        "Die meisten Besucher kamen aus dem Ausland.", "Der Motor macht ein seltsames Geräusch, wenn er kalt ist.",
        "Sie sprachen bis spät in die Nacht über den Haushalt.", "Eine Katze schlief auf dem warmen Dach des Autos.",
    ),
}  # fmt: skip
Draw = random.Random


def template_sentences(direction: str, count: int, draw: Draw) -> list[tuple[str, list[str]]]:
    """Sentences, and what has to stand in their translations."""
    sentences = []
    for number in range(count):
        template = TEMPLATES[direction][number % len(TEMPLATES[direction])]
        day, year = draw.randint(1, 28), draw.randint(1801, 2029)
        month = draw.choice(MONTHS[direction])
        values = {
            "first": draw.choice(FIRST),
            "last": draw.choice(LAST),
            "number": str(draw.randint(13, 999)),
            "number2": str(draw.randint(1000, 99_999)),
            "small": str(draw.randint(2, 9)),
            "year": str(year),
            "date": f"{day} {month} {year}" if direction == "en-de" else f"{day}. {month} {year}",
        }
        parts = {**values, "date": f"{day} {year}"}
        words = [word for key in re.findall(r"{(\w+)}", template) for word in parts[key].split()]
        sentences.append((template.format(**values), words))
    return sentences


def is_kept(word: str, text: str) -> bool:
    """Whether a word stands in a text by itself; a small number may be spelled out, a name may have an ending."""
    if word.isdigit():
        return (
            re.search(rf"(?<!\d){word}(?!\d)", re.sub(r"(?<=\d)[.,](?=\d{3})", "", text)) is not None or len(word) == 1
        )
    return re.search(rf"\b{re.escape(word)}('?s)?\b", text) is not None


def typing_errors(text: str, draw: Draw) -> str:
    letters = list(text)
    for _ in range(max(1, len(letters) // 15)):
        at = draw.randrange(len(letters) - 1)
        letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def hard_inputs(direction: str, count: int, draw: Draw) -> Iterator[tuple[str, str]]:
    """Kinds and texts."""
    texts = TEXTS[direction]
    others = TEXTS["de-en" if direction == "en-de" else "en-de"]

    def some(number: int) -> list[str]:
        return draw.choices(texts, k=number)

    kinds: dict[str, Callable[[], str]] = {
        "paragraph": lambda: " ".join(some(draw.randint(6, 12))),
        "list": lambda: "\n".join(f"- {line}" for line in some(draw.randint(3, 6))),
        "headline": lambda: draw.choice(texts).rstrip(".").title(),
        "capitals": lambda: draw.choice(texts).upper(),
        "typing errors": lambda: typing_errors(draw.choice(texts), draw),
        "two languages": lambda: f"{draw.choice(texts)} {draw.choice(others)}",
        "the other language": lambda: draw.choice(others),
        "small letters": lambda: draw.choice(texts).lower().rstrip("."),
        "half a sentence": lambda: " ".join(draw.choice(texts).split()[: draw.randint(2, 4)]),
        "no sentence": lambda: " ".join(draw.choice(texts).split()[draw.randrange(3)] for _ in range(12)),
        "one word, many times": lambda: " ".join([draw.choice(texts).split()[1]] * draw.randint(5, 40)),
        "signs": lambda: "".join(draw.choices("!?.,;:-()[]{}*/+=%&", k=draw.randint(1, 30))),
        "numbers": lambda: " ".join(str(draw.randrange(10**6)) for _ in range(draw.randint(1, 12))),
        "one letter": lambda: draw.choice("abcdefghijklmnopqrstuvwxyzäöü"),
        "nothing": lambda: draw.choice(["", " ", "\n", "\t"]),
        "long sentence": lambda: ", ".join(line.rstrip(".").lower() for line in some(draw.randint(5, 9))) + ".",
    }
    for number in range(count):
        kind = list(kinds)[number % len(kinds)]
        yield kind, kinds[kind]()


def loops(text: str, source: str) -> bool:
    """Whether four words in a row come more than three times, and do not in the source."""

    def runs(line: str) -> Counter[tuple[str, ...]]:
        words = line.split()
        return Counter(tuple(words[at : at + 4]) for at in range(len(words) - 3))

    most = max([3, *runs(source).values()])
    return max(runs(text).values(), default=0) > most or bool(REPEATED.search(text) and not REPEATED.search(source))


@dataclass
class Verdict:
    """What went wrong, with examples."""

    damaged: list[tuple[str, str]] = field(default_factory=list)
    looping: list[tuple[str, str]] = field(default_factory=list)
    odd_lengths: list[tuple[str, str]] = field(default_factory=list)
    measured: int = 0


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("model", default="en-de")
@click.option("--direction", type=click.Choice(list(TEMPLATES)), help="For a folder.  [default: MODEL]")
@click.option("--count", default=1000, show_default=True, help="Of each kind.")
@click.option("--seed", default=2026, show_default=True)
@click.option("--show", default=5, show_default=True, help="Examples of each fault.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(model: str, direction: str | None, count: int, seed: int, show: int, as_json: bool) -> None:
    """Count what a translator damages."""
    import regard

    direction = direction or (model if model in TEMPLATES else "en-de")
    task, draw, verdict = regard.load(model, task="translate"), random.Random(seed), Verdict()
    filled = template_sentences(direction, count, draw)
    for (source, words), answer in zip(filled, task([source for source, _ in filled], protect=False), strict=True):
        if not all(is_kept(word, answer.text) for word in words):
            verdict.damaged.append((source, answer.text))
    inputs = list(hard_inputs(direction, count, draw))
    for (_, source), answer in zip(inputs, task([text for _, text in inputs]), strict=True):
        if loops(answer.text, source):
            verdict.looping.append((source, answer.text))
        if len(source.split()) >= 5:
            verdict.measured += 1
            if not 0.5 <= len(answer.text.split()) / len(source.split()) <= 2:
                verdict.odd_lengths.append((source, answer.text))
    counts = {
        "sentences": count,
        "damaged": len(verdict.damaged),
        "hard_inputs": count,
        "loops": len(verdict.looping),
        "length_within_half_and_double": 1 - len(verdict.odd_lengths) / max(1, verdict.measured),
    }
    if as_json:
        click.echo(json.dumps(counts))
        return
    click.echo(f"{model}: {counts['damaged']} of {count} sentences lost a name, a number or a date")
    click.echo(f"{model}: {counts['loops']} of {count} hard inputs loop")
    click.echo(f"{model}: length within 0.5 and 2 of the source: {counts['length_within_half_and_double']:.1%}")
    for title, rows in (("lost", verdict.damaged), ("loops", verdict.looping), ("length", verdict.odd_lengths)):
        for source, text in rows[:show]:
            click.echo(f"  {title}: {source!r} -> {text!r}")


if __name__ == "__main__":
    main()
