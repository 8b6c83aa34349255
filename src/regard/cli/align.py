"""`regard align`: which words of two texts belong together."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import click

from regard.cli.texts import open_output

if TYPE_CHECKING:
    from regard.looking.align import Gold
    from regard.tasks.align import AlignmentResult, TextPair

WAYS = ["grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union"]
FILE = click.Path(dir_okay=False)
BEST = 5  # heads that are named with their errors


@click.command(context_settings={"show_default": True})
@click.argument("data", nargs=-1, required=True, metavar="SOURCE TARGET", type=FILE)
@click.option("--model", "-m", required=True, metavar="NAME", help="A translator: folder, built-in name or Hub id.")
@click.option("--reverse", metavar="NAME", help="A translator of the other direction; the two are symmetrised.")
@click.option("--symmetrise", type=click.Choice(WAYS), default=WAYS[0], help="How two directions become one.")
@click.option("--swap", is_flag=True, help="The model reads the second text and writes the first.")
@click.option("--gold", type=FILE, metavar="FILE", help="Links that people made, 1-1 sure and 1p2 possible: tell AER.")
@click.option("--gold-from", type=click.IntRange(0, 1), help="What it calls the first word.  [default: as it looks]")
@click.option("--choose", type=click.IntRange(1), metavar="N", help="Choose heads on the first N lines of the gold.")
@click.option("--look", metavar="LOOK", help='The heads themselves: "decoder.1.cross:3 shifted".')
@click.option("--reverse-look", metavar="LOOK", help="The same for the other direction.")
@click.option("--language", metavar="CODE", help="What is written, for models that write several: fra or >>fra<<.")
@click.option("--output", type=FILE, metavar="FILE", help="Write to here instead of standard output.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the models run, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def align(
    data: tuple[str, ...],
    model: str,
    reverse: str | None,
    symmetrise: str,
    swap: bool,
    gold: str | None,
    gold_from: Literal[0, 1] | None,
    choose: int | None,
    look: str | None,
    reverse_look: str | None,
    language: str | None,
    output: str | None,
    device: str,
    as_json: bool,
) -> None:
    """Align the words of SOURCE and TARGET: two parallel files, or one .tsv; plain, .gz or .xz.

    A line for each pair, as other tools read it: 0-0 1-2, the first text first, words counted between spaces from 0.
    Heads are chosen on aligned lines (--gold with --choose), else so that both directions agree (--reverse), else by
    words that are spelled alike. Which heads, and the error rate, are told on standard error.

    \b
    regard align test.en test.de -m en-de
    regard align test.en test.de -m en-de --reverse de-en --symmetrise intersection
    regard align test.de test.en -m en-de --swap --gold test.talp --choose 50 --json
    """
    if choose and not gold:
        raise click.UsageError("--choose N is for --gold; without it, heads are chosen on the lines themselves")
    if reverse_look and not reverse:
        raise click.UsageError("--reverse-look is for --reverse")
    from regard.looking.align import pharaoh, swap_links
    from regard.tasks import load
    from regard.tasks.align import Direction, WordAligner, align_words, swap_pair
    from regard.text import pairs

    texts = list(pairs(data))
    truth = None if gold is None else read_gold_links(gold, gold_from, texts)
    forward = Direction.of(load(model, device=device), heads=look, language=language)
    backward = Direction.of(load(reverse, device=device), heads=reverse_look) if reverse else None
    aligner = WordAligner(forward, backward, symmetrise)
    if swap:
        texts, truth = [swap_pair(pair) for pair in texts], truth and [one.swap() for one in truth]
    found = align_words(aligner, texts, gold=truth, lines=choose)
    lines = [pharaoh(swap_links(one) if swap else one) for one in found.links]
    with open_output(output) as write:
        write([json.dumps(plain(found) | {"links": lines})] if as_json else lines)
    if not as_json:
        for line in summary(found):
            click.echo(line, err=True)


def read_gold_links(path: str, first: Literal[0, 1] | None, texts: "list[TextPair]") -> "list[Gold]":
    """What people made of these texts."""
    from regard.looking.align.links import first_number, read_gold

    sizes = [(len(source.split()), len(target.split())) for source, target in texts]
    return read_gold(path, first=first_number(path, sizes) if first is None else first)


def summary(found: "AlignmentResult") -> Iterator[str]:
    """The heads, how they were chosen, and the scores."""
    for side, choice in sides(found):
        because = f", by {choice.rule}: error {choice.error:.3f}" if choice else ""
        yield f"{side.task.checkpoint.folder.name}: {side.look}{because}"
        if choice:
            best = ", ".join(f"{part} {error:.3f}" for part, error in choice.ranking[:BEST])
            yield f"  alone: {best}; {len(choice.ranking)} tried"
    if found.scores:
        scores = "  ".join(f"{name} {100 * value:.2f}" for name, value in found.scores.plain().items())
        yield f"{scores}  on {found.scored} lines"


def plain(found: "AlignmentResult") -> dict[str, Any]:
    """The same for JSON."""
    looks = [
        {"model": str(side.task.checkpoint.folder), "look": str(side.look)}
        | (
            {
                "rule": choice.rule,
                "error": choice.error,
                "ranking": {str(part): error for part, error in choice.ranking},
            }
            if choice
            else {}
        )
        for side, choice in sides(found)
    ]
    how = {"symmetrise": found.aligner.how} if found.aligner.backward else {}
    scores = {"scores": found.scores.plain(), "scored": found.scored} if found.scores else {}
    return {"lines": len(found.links), "looks": looks} | how | scores


def sides(found: "AlignmentResult") -> list[tuple[Any, Any]]:
    """The directions, each with how its look was chosen, if it was."""
    aligner = found.aligner
    there = [aligner.forward, *([aligner.backward] if aligner.backward else [])]
    return list(zip(there, aligner.choices or [None] * len(there), strict=True))
