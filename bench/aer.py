"""Word alignments of our translators beside eflomal, trained on the same text: python bench/aer.py --help.

The RWTH gold alignment, 508 German-English sentences. eflomal (Östling and Tiedemann 2016) learns from the training
text and from the sentences it is to align, as it is meant to; the translators have never seen those. Both directions
and every way to join them; AER in percent, also by length of the German sentence. Which heads are read, and how sure an
aligner has to be, is chosen on another gold set, never on this one.
"""

import json
import re
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from regard.looking.align import SYMMETRIES, Gold, Links, error_rate, read_gold, read_links, swap_links, symmetrise
from regard.text import pairs

SHARED = Path(__file__).parents[2] / "shared/data"
EDGES = (10, 20, 30)  # German words up to which a sentence belongs to a group of its length
OTHER_GOLD, THRESHOLDS = "deen-europarl-bicici", (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
WORDS = re.compile(r"\w+|[^\w\s]")

Row = dict[str, float]


def cut(text: str) -> str:
    """Words and punctuation marks with spaces between, lower-cased: as the gold has them."""
    return " ".join(WORDS.findall(text.lower()))


def eflomal(german: list[str], english: list[str], texts: Sequence[Path]) -> tuple[list[Links], list[Links]]:
    """Both directions of the first sentences, learned together with texts of pairs, English first."""
    try:
        aligner = import_module("eflomal").Aligner()
    except ImportError:
        raise click.ClickException("pip install --no-deps --target FOLDER eflomal, and --packages FOLDER") from None
    more = [(cut(target), cut(source)) for text in texts for source, target in pairs([text])]
    click.echo(f"eflomal learns from {len(more):,} pairs", err=True)
    count = len(german)
    sides = zip(
        *[*((one.lower(), other.lower()) for one, other in zip(german, english, strict=True)), *more], strict=True
    )
    source, target = ([f"{line}\n" for line in side] for side in sides)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("forward", "backward")]
        aligner.align(source, target, *map(str, files))
        for file in files:
            file.write_text("".join(f"{line}\n" for line in file.read_text().split("\n")[:count]))
        forward, backward = (read_links(file) for file in files)
    return forward, backward


def lengths(german: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the sentences of each length."""
    bounds = zip((0, *EDGES), (*EDGES, 10**6), strict=True)
    return {
        f"{low + 1}-{high}" if high < 10**6 else f"> {low}": [
            number for number, text in enumerate(german) if low < len(text.split()) <= high
        ]
        for low, high in bounds
    }


def row(found: Sequence[Links], gold: Sequence[Gold], groups: dict[str, list[int]]) -> Row:
    """The error rate of all sentences, and of each length."""

    def of(numbers: Sequence[int]) -> float:
        return 100 * error_rate([found[number] for number in numbers], [gold[number] for number in numbers]).aer

    return {"all": of(range(len(found)))} | {name: of(numbers) for name, numbers in groups.items()}


def other_gold(folder: Path) -> tuple[list[tuple[str, str]], list[Gold]]:
    """Sentences that nothing is measured on, German first, and their links."""
    return list(pairs([folder / "test.de", folder / "test.en"])), read_gold(folder / "de-en.wa", first=0)


def aligned(name: str, both: list[tuple[str, str]], chosen_on: Path) -> list[Links]:
    """The links of a masked aligner; its threshold is chosen on another gold set."""
    from regard.tasks.align import load_aligner, swap_pair
    from regard.tasks.masked_alignment import MaskedWordAligner, word_links

    aligner = load_aligner(name)
    if not isinstance(aligner, MaskedWordAligner):
        raise click.ClickException(f"{name} is no masked aligner")

    def links(texts: list[tuple[str, str]], threshold: float) -> list[Links]:
        encoded = [aligner.read(*swap_pair(pair), number) for number, pair in enumerate(texts, 1)]
        weights = aligner.agreement(encoded)
        return [swap_links(word_links(*one, threshold)) for one in zip(encoded, weights, strict=True)]

    known, gold = other_gold(chosen_on)
    errors = {threshold: error_rate(links(known, threshold), gold).aer for threshold in THRESHOLDS}
    best = min(errors, key=lambda threshold: errors[threshold])
    click.echo(f"masked aligner: threshold {best}, AER {100 * errors[best]:.2f} on {chosen_on.name}", err=True)
    return links(both, best)


def translators(
    to_german: str | None,
    to_english: str | None,
    both: list[tuple[str, str]],
    gold: Sequence[Gold],
    groups: dict[str, list[int]],
    chosen_on: Path,
) -> dict[str, Row]:
    """One direction of attention, or both and every way to join them; heads are chosen on another gold set."""
    from regard.tasks import load
    from regard.tasks.align import Direction, WordAligner, swap_pair

    found: dict[str, Row] = {}
    first, *others = [Direction.of(load(name)) for name in (to_english, to_german) if name]
    aligner, is_turned = WordAligner(first, others[0] if others else None), to_english is None
    known, links = other_gold(chosen_on)
    texts, truth = both, gold
    if is_turned:
        texts, known = ([swap_pair(pair) for pair in side] for side in (both, known))
        truth, links = ([one.swap() for one in side] for side in (gold, links))
    aligner = aligner.choose_heads(known, links)
    for choice in aligner.choices:
        click.echo(f"{choice.heads}: AER {100 * choice.error:.2f} on {chosen_on.name}", err=True)
    ours = WordAligner(aligner.forward)(texts)
    name = "ours, English to German" if is_turned else "ours, German to English"
    found[name] = row(ours, truth, groups)
    if aligner.backward:
        others = [swap_links(one) for one in WordAligner(aligner.backward)([swap_pair(pair) for pair in texts])]
        found["ours, English to German"] = row(others, truth, groups)
        found["ours, mean"] = row(aligner(texts), truth, groups)
        for how in SYMMETRIES:
            joined = [symmetrise(one, other, how) for one, other in zip(ours, others, strict=True)]
            found[f"ours, {how}"] = row(joined, truth, groups)
    return found


@click.command(context_settings={"show_default": True})
@click.option("--en-de", "to_german", metavar="MODEL", help="A translator from English to German.")
@click.option("--de-en", "to_english", metavar="MODEL", help="A translator from German to English.")
@click.option("--aligner", metavar="MODEL", help="A masked aligner that reads English first (recipes/aligner.toml).")
@click.option(
    "--text",
    "texts",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=[SHARED / "tatoeba-en-de/train.tsv.xz"],
    help="What eflomal learns from, English first; repeatable.",
)
@click.option("--data", default=str(SHARED / "alignment/deen-rwth"), help="Where the gold alignment is.")
@click.option("--packages", metavar="FOLDER", help="Where eflomal is installed, if not beside us.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    to_german: str | None,
    to_english: str | None,
    aligner: str | None,
    texts: tuple[Path, ...],
    data: str,
    packages: str | None,
    as_json: bool,
) -> None:
    """Measure translators, or one, and eflomal.

    \b
    pip install --no-deps --target build/eflomal eflomal
    python bench/aer.py --en-de en-de --de-en de-en --packages build/eflomal
    """
    if not (to_german or to_english or aligner):
        raise click.UsageError("--en-de, --de-en or --aligner expected")
    if packages:
        sys.path.insert(0, packages)
    both = list(pairs([Path(data) / "test.de.xz", Path(data) / "test.en.xz"]))
    german, english = [source for source, _ in both], [target for _, target in both]
    gold = read_gold(Path(data) / "alignment.talp.xz", first=1)
    groups = lengths(german)
    found: dict[str, Row] = {}
    chosen_on = Path(data).parent / OTHER_GOLD
    there, back = eflomal(german, english, texts)
    found |= {"eflomal, forward": row(there, gold, groups), "eflomal, backward": row(back, gold, groups)}
    for how in SYMMETRIES:
        joined = [symmetrise(one, other, how) for one, other in zip(there, back, strict=True)]
        found[f"eflomal, {how}"] = row(joined, gold, groups)
    if aligner:
        found["masked aligner"] = row(aligned(aligner, both, chosen_on), gold, groups)
    if to_german or to_english:
        found |= translators(to_german, to_english, both, gold, groups, chosen_on)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"{'AER':<30}" + "".join(f"{name:>8}" for name in ("all", *groups)) + "  (by German words)")
    for name, one in found.items():
        click.echo(f"{name:<30}" + "".join(f"{value:>8.2f}" for value in one.values()))


if __name__ == "__main__":
    main()
