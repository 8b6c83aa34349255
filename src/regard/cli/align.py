"""`regard align`: which words of two texts belong together."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from regard.cli.renamed import renamed
from regard.cli.streams import open_output
from regard.cli.values import FILE, FiniteNumber, count

if TYPE_CHECKING:
    from regard.looking.align import Gold
    from regard.looking.align.head_choice import HeadChoice
    from regard.tasks.align import AlignmentResult, Direction, TextPair

SYMMETRIES = ["mean", "grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union"]
BOTH = ("en-de", "de-en")  # the translators that align where none is said
BEST = 5  # heads that are named with their errors


@click.command(context_settings={"show_default": True})
@click.argument("data", nargs=-1, required=True, metavar="SOURCE TARGET", type=FILE)
@click.option(
    "--model",
    "-m",
    metavar="NAME",
    help=f"A translator or an aligner.  [default: {BOTH[0]}, and {BOTH[1]} for --reverse]",
)
@click.option("--reverse", metavar="NAME", help="A translator of the other direction; the two become one alignment.")
@click.option(
    "--symmetrise", type=click.Choice(SYMMETRIES), default=SYMMETRIES[0], help="How two directions become one."
)
@click.option("--swap", is_flag=True, help="The model reads the second text and writes the first.")
@click.option("--gold", type=FILE, metavar="FILE", help="Links that people made, 1-1 sure and 1p2 possible: tell AER.")
@click.option("--gold-from", type=click.IntRange(0, 1), help="What it calls the first word.  [default: as it looks]")
@click.option("--choose", type=count(), metavar="N", help="Choose heads on the first N lines of the gold.")
@click.option("--heads", metavar="HEADS", help='The heads themselves: "decoder.1.cross:3 shifted".')
@click.option("--reverse-heads", metavar="HEADS", help="The same for the other direction.")
@click.option(
    "--learn",
    multiple=True,
    type=FILE,
    metavar="FILE",
    help="Let the aligner, or one made of both translators, learn from this .tsv first; twice for two parallel files.",
)
@click.option("--minutes", type=FiniteNumber(0.05, 10_000), default=10.0, help="How long it learns.")
@click.option("--run", default="runs/align", metavar="FOLDER", help="Where it learns; RUN/model is the aligner then.")
@click.option("--language", metavar="CODE", help="What is written, for models that write several: fra or >>fra<<.")
@click.option("--output", type=FILE, metavar="FILE", help="Write to here instead of standard output.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the models run, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@renamed("--look", "--heads")
@renamed("--reverse-look", "--reverse-heads")
def align(
    data: tuple[str, ...],
    model: str | None,
    reverse: str | None,
    symmetrise: str,
    swap: bool,
    gold: str | None,
    gold_from: Literal[0, 1] | None,
    choose: int | None,
    heads: str | None,
    reverse_heads: str | None,
    learn: tuple[str, ...],
    minutes: float,
    run: str,
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
    regard align test.en test.de
    regard align test.en test.de -m en-de
    regard align test.en test.de -m en-de --reverse de-en --symmetrise intersection
    regard align test.de test.en -m en-de --swap --gold test.talp --choose 50 --json
    regard align test.en test.de -m en-de --reverse de-en --learn own.tsv --minutes 10
    """
    if model is None:
        if reverse or heads or reverse_heads:
            raise click.UsageError("--reverse, --heads and --reverse-heads are for --model")
        model, reverse = BOTH
    if choose and not gold:
        raise click.UsageError("--choose N is for --gold; without it, heads are chosen on the lines themselves")
    if reverse_heads and not reverse:
        raise click.UsageError("--reverse-heads is for --reverse")
    if learn and (heads or reverse_heads or language or choose):
        raise click.UsageError("--learn makes an aligner, which has no heads to choose and no --language")
    from regard.looking.align import pharaoh, swap_links
    from regard.tasks.align import align_words, load_aligner, swap_pair
    from regard.text import pairs

    texts = list(pairs(data))
    truth = None if gold is None else read_gold_links(gold, gold_from, texts)
    if learn:
        model, reverse = str(learned(learn, model, reverse, run, minutes, device)), None
    aligner = load_aligner(
        model,
        reverse=reverse,
        heads=heads,
        reverse_heads=reverse_heads,
        language=language,
        how=symmetrise,
        device=device,
    )
    if swap:
        texts, truth = [swap_pair(pair) for pair in texts], truth and [links.swap() for links in truth]
    result = align_words(aligner, texts, gold=truth, lines=choose)
    lines = [pharaoh(swap_links(links) if swap else links) for links in result.links]
    with open_output(output) as write:
        write([json.dumps(plain(result) | {"links": lines})] if as_json else lines)
    if not as_json:
        for line in summary(result):
            click.echo(line, err=True)


def learned(files: tuple[str, ...], model: str, reverse: str | None, run: str, minutes: float, device: str) -> Path:
    """The folder of an aligner that has learned from files."""
    from regard.tasks import load
    from regard.tasks.aligner_learning import learn_aligner, save_start
    from regard.training import Stopped
    from regard.training.run.memory_pool import keep_freed_memory

    start: str | Path = model
    if reverse:
        start = Path(run) / "start"
        if not start.exists():
            save_start(load(model, task="translate"), load(reverse, task="translate"), start)
    keep_freed_memory()
    try:
        return learn_aligner(files, start, run, minutes=minutes, device=device)
    except Stopped:
        click.echo("regard: stopped and saved; the same command goes on", err=True)
        sys.exit(3)


def read_gold_links(path: str, first: Literal[0, 1] | None, texts: "list[TextPair]") -> "list[Gold]":
    """What people made of these texts."""
    from regard.text.align.links import first_number, read_gold

    sizes = [(len(source.split()), len(target.split())) for source, target in texts]
    return read_gold(path, first=first_number(path, sizes) if first is None else first)


def summary(result: "AlignmentResult") -> Iterator[str]:
    """The heads, how they were chosen, and the scores."""
    for direction, choice in sides(result):
        reason = f", by {choice.rule}: error {choice.error:.3f}" if choice else ""
        yield f"{direction.task.checkpoint.folder.name}: {direction.heads}{reason}"
        if choice:
            ranking = ", ".join(f"{head} {error:.3f}" for head, error in choice.ranking[:BEST])
            yield f"  alone: {ranking}; {len(choice.ranking)} tried"
    if result.scores:
        scores = "  ".join(f"{name} {100 * value:.2f}" for name, value in result.scores.plain().items())
        yield f"{scores}  on {result.scored} lines"


def plain(result: "AlignmentResult") -> dict[str, object]:
    """The same for JSON."""
    directions = [
        {"model": str(direction.task.checkpoint.folder), "heads": str(direction.heads)}
        | (
            {
                "rule": choice.rule,
                "error": choice.error,
                "ranking": {str(head): error for head, error in choice.ranking},
            }
            if choice
            else {}
        )
        for direction, choice in sides(result)
    ]
    from regard.tasks.align import WordAligner

    aligner = result.aligner
    how = {"symmetrise": aligner.how} if isinstance(aligner, WordAligner) and aligner.backward else {}
    scores = {"scores": result.scores.plain(), "scored": result.scored} if result.scores else {}
    return {"lines": len(result.links), "directions": directions} | how | scores


def sides(result: "AlignmentResult") -> "list[tuple[Direction, HeadChoice | None]]":
    """The directions, each with how its look was chosen, if it was."""
    from regard.tasks.align import WordAligner

    aligner = result.aligner
    if not isinstance(aligner, WordAligner):
        return []
    directions = [aligner.forward, *([aligner.backward] if aligner.backward else [])]
    return list(zip(directions, aligner.choices or [None] * len(directions), strict=True))
