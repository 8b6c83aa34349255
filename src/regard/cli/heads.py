"""`regard heads`: which heads of a model matter."""

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from regard.cli.values import FILE, PART, NamedPath, count

if TYPE_CHECKING:
    from regard.tasks.heads.scoring import HeadScores

JUDGES = ["importance", "ablation", "confidence", "gates"]
MOST = 5  # heads that are named


@click.command(context_settings={"show_default": True})
@click.argument("model")
@click.argument("data", nargs=-1, required=True, metavar="DATA...", type=NamedPath())
@click.option("--by", type=click.Choice(JUDGES), default="importance", help="What a head is judged by.")
@click.option("--by-layer", is_flag=True, help="Importance as a share of the layer's.")
@click.option("--keep", type=PART, default=0.5, help="Gates: the share that may stay.")
@click.option("--limit", type=count(), default=1000, help="Lines of DATA that are read.")
@click.option("--swap", is_flag=True, help="Pairs the other way round: from the second file to the first.")
@click.option(
    "--label",
    type=click.Choice(["first", "last", "word", "coarse"]),
    default="last",
    help="Where a line has its label.",
)
@click.option("--output", type=FILE, metavar="FILE", help="Draw it: .svg, .png, .html or .txt.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def heads(
    model: str,
    data: tuple[str, ...],
    by: str,
    by_layer: bool,
    keep: float,
    limit: int,
    swap: bool,
    label: str,
    output: str | None,
    device: str,
    as_json: bool,
) -> None:
    """Judge every head of a model by DATA: a grid of layers and heads.

    Importance is the gradient of the loss by a head's gate (Michel et al. 2019), ablation the rise of the loss without
    the head, confidence the mean of its largest weight (Voita et al. 2019); gates learn which heads can be closed
    (Louizos et al. 2018). DATA is what `regard evaluate` takes: pairs, texts, or texts with labels.

    \b
    regard heads runs/en-de/model valid.en valid.de
    regard heads shakespeare input.txt --by ablation --limit 200 --output heads.svg
    regard heads runs/sst2/model test.tsv --by confidence --json
    """
    from regard.tasks import load
    from regard.tasks.evaluation import corpus_for
    from regard.tasks.heads import head_data, score_heads
    from regard.tasks.heads.head_data import first

    task = load(model, device=device)
    # Stories, which are no Corpus, are refused by their columns.
    material = head_data(task, first(corpus_for(task, data, swap=swap, label=label), limit))  # type: ignore[arg-type]
    scores, _ = score_heads(task, material, by, keep=keep, by_layer=by_layer)
    if output:
        scores.picture().save(output)
    click.echo(json.dumps(scores.plain()) if as_json else report(scores))


def report(scores: "HeadScores") -> str:
    """The grid, and the heads at both ends."""
    from shutil import get_terminal_size

    picture, ranked = scores.picture(), scores.ranked()
    there = (
        {"colour": "NO_COLOR" not in os.environ, "width": get_terminal_size().columns} if sys.stdout.isatty() else {}
    )
    lines = [picture.title, "", picture.draw(**there), ""]
    for name, some in (("highest", ranked[:MOST]), ("lowest", ranked[: -MOST - 1 : -1])):
        lines.append(f"{name:<8} " + ", ".join(f"{layer} {head} ({one:.4g})" for layer, head, one in some))
    return "\n".join(lines)
