"""Protected spans on strings of real message catalogues, and on sentences with addresses, amounts and dates.

python bench/spans.py --help. Catalogues are those of the system, /usr/share/locale, or of the folder that
REGARD_CATALOGUES names: Debian's packages have them, unpacked with dpkg -x. Whether placeholders are whole is judged
here by what gettext and Python say of them, not by the table that protects them.
"""

import json
import os
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import click

CATALOGUES = "REGARD_CATALOGUES"
C_FORMAT = re.compile(
    r"%(?:(\d+)\$)?[-+#0' ]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|L|q|j|z|t)?([diouxXeEfFgGaAcspnm%])"
)
PYTHON = re.compile(r"(%%)|%\(\w+\)[-+#0 ]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa]")
"""With %% as it is read before all else: %%(atom) has no name in it."""
BRACES = re.compile(r"\$?\{\w*\}")
ENTITIES = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d+);")
TAGS = re.compile(r"</?[A-Za-z]\w*(?:\s[^<>]*=[^<>]*)?/?>")


class Message(NamedTuple):
    """A string of a catalogue, and what the catalogue has for it."""

    source: str
    target: str
    catalogue: str


def folders() -> list[Path]:
    """Where catalogues may be."""
    return [Path(os.environ[CATALOGUES])] if os.environ.get(CATALOGUES) else [Path("/usr/share/locale")]


def messages(language: str = "de") -> list[Message]:
    """All strings of all catalogues of a language that have a placeholder."""
    import polib

    strings_with_placeholders: dict[str, Message] = {}
    for folder in folders():
        for path in sorted(folder.rglob(f"{language}/LC_MESSAGES/*.mo")):
            try:
                entries = polib.mofile(str(path))
            except (OSError, UnicodeDecodeError, ValueError):
                continue
            for entry in entries:
                pairs = [(entry.msgid, entry.msgstr)]
                if entry.msgid_plural:
                    forms = entry.msgstr_plural
                    pairs = [(entry.msgid, forms.get(0, "")), (entry.msgid_plural, forms.get(1, ""))]
                for source, target in pairs:
                    if target and source != target and len(source) < 400 and sum(placeholders(source).values()):
                        strings_with_placeholders.setdefault(source, Message(source, target, path.stem))
    return sorted(strings_with_placeholders.values())


def take_named(text: str) -> tuple[list[str], str]:
    """Python's placeholders with a name, and the text without them."""
    named = [match[0] for match in PYTHON.finditer(text) if not match[1]]
    return named, PYTHON.sub(lambda match: match[1] or "\0", text)


def placeholders(text: str) -> Counter[str]:
    """Every placeholder, entity and tag of a text, and how often it is there."""
    named, rest = take_named(text)
    ordered = [match[0] for match in C_FORMAT.finditer(rest) if match[0].strip("% ") or match[0] == "%%"]
    ordered = [one for one in ordered if " " not in one]  # 50% of: no flag
    return Counter([*named, *ordered, *BRACES.findall(rest), *ENTITIES.findall(text), *TAGS.findall(text)])


def words(text: str) -> list[str]:
    """What there is to translate in a text: words of two letters or more outside of placeholders."""
    _, rest = take_named(text)
    for pattern in (TAGS, ENTITIES, BRACES, C_FORMAT):
        rest = pattern.sub(" ", rest)
    return re.findall(r"[^\W\d_]{2,}", rest.casefold())


def order(text: str) -> list[str]:
    """The placeholders that are told apart by their order alone."""
    _, rest = take_named(text)
    return [match[0] for match in C_FORMAT.finditer(rest) if not match[1] and match[2] != "%" and " " not in match[0]]


def is_legal(source: str, target: str) -> bool:
    """Whether a translation can stand for a string: each placeholder as often, in an order that means the same."""
    return placeholders(source) == placeholders(target) and order(source) == order(target)


def sentences(count: int, seed: int) -> list[tuple[str, str]]:
    """Sentences with a span in each that has to come out as it is."""
    draw = random.Random(seed)

    def word() -> str:
        return draw.choice(["help", "shop", "news", "docs", "mail", "team", "info", "start", "books", "music"])

    def host() -> str:
        return f"{draw.choice(['www.', ''])}{word()}-{word()}.{draw.choice(['com', 'org', 'de', 'net'])}"

    spans = {
        "address": lambda: f"https://{host()}/{word()}?id={draw.randint(1, 9999)}",
        "e-mail": lambda: f"{word()}.{word()}{draw.randint(1, 99)}@{host().removeprefix('www.')}",
        "price": lambda: draw.choice(
            [f"${draw.randint(1, 9)},{draw.randint(100, 999)}.{draw.randint(10, 99)}", f"{draw.randint(2, 999)} €"]
        ),
        "date": lambda: f"{draw.randint(1950, 2030)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
        "unit": lambda: (
            f"{draw.randint(2, 99)}.{draw.randint(1, 9)} {draw.choice(['km', 'kg', 'GB', 'MHz', 'cm', 'kWh'])}"
        ),
    }
    frames = {
        "address": ["You can read more about it at {}.", "Please visit {} tomorrow.", "I saw it on {} yesterday."],
        "e-mail": ["Please write to {} if you have any questions.", "Her address is {}.", "Send it to {} today."],
        "price": ["The new car costs {}.", "I paid {} for the two tickets.", "He owes me {}, and he knows it."],
        "date": ["The meeting was on {}.", "She was born on {} in Boston.", "We have to finish it before {}."],
        "unit": ["The house is about {} from here.", "The value is {} now.", "There are {} left, I think."],
    }  # fmt: skip
    result = []
    for number in range(count):
        kind = list(spans)[number % len(spans)]
        span = spans[kind]()
        result.append((draw.choice(frames[kind]).format(span), span))
    return result


def chrf(texts: list[str], references: list[str]) -> float:
    import sacrebleu

    return sacrebleu.corpus_chrf(texts, [references]).score


def measure_catalogues(translator: Any, chosen: list[Message], options: dict[str, Any]) -> dict[str, Any]:
    """The figures of the catalogues, with and without protection."""
    sources = [message.source for message in chosen]
    free = [answer.text for answer in translator(sources, protect=False, **options)]
    answers = translator(sources, **options)
    texts = [answer.text for answer in answers]
    bad = [row for row, message in enumerate(chosen) if not is_legal(message.source, texts[row])]
    references = [message.target for message in chosen]
    same = [row for row, source in enumerate(sources) if texts[row] == source != free[row]]
    untranslated = [row for row in same if words(sources[row]) and words(sources[row]) != words(free[row])]
    return {
        "strings": len(chosen),
        "catalogues": len({message.catalogue for message in chosen}),
        "legal with protection": 1 - len(bad) / len(chosen),
        "legal without": sum(map(is_legal, sources, free)) / len(chosen),
        "bad and not warned about": sum(not answers[row].warnings for row in bad),
        "chrF with protection": chrf(texts, references),
        "chrF without": chrf(free, references),
        "left untranslated that were translated": len(untranslated) / len(chosen),
        "unchanged where anything was changed, signs too": len(same) / len(chosen),
        "examples": [(sources[row], texts[row]) for row in bad[:10]],
    }


def measure_sentences(translator: Any, count: int, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """The share of spans that came out as they were."""
    pairs = sentences(count, seed)
    shares = {}
    for name, protect in (("unchanged with protection", True), ("unchanged without", False)):
        answers = translator([text for text, _ in pairs], protect=protect, **options)
        shares[name] = (
            sum(answer.text.count(span) == 1 for answer, (_, span) in zip(answers, pairs, strict=True)) / count
        )
    return {"sentences": count} | shares


@click.command()
@click.argument("model", default="en-de")
@click.option("--strings", default=2000, show_default=True, help="Of the catalogues.")
@click.option("--sentences", "made", default=1000, show_default=True, help="That are made.")
@click.option("--beam", default=4, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(model: str, strings: int, made: int, beam: int, seed: int) -> None:
    """Print what protection keeps, and what it costs, as JSON."""
    import regard

    translator = regard.load(model)
    strings_with_placeholders = messages()
    if not strings_with_placeholders:
        raise click.ClickException(
            f"no catalogues of German in {', '.join(map(str, folders()))}: {CATALOGUES} names a folder"
        )
    chosen = random.Random(seed).sample(strings_with_placeholders, min(strings, len(strings_with_placeholders)))
    figures = measure_catalogues(translator, chosen, {"beam": beam}) | measure_sentences(
        translator, made, seed, {"beam": beam}
    )
    click.echo(json.dumps(figures, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
