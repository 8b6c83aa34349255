"""`regard prune`: a smaller model, and what it costs."""

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from regard.cli.heads import JUDGES
from regard.cli.renamed import renamed
from regard.cli.values import PART, POSITIVE, NamedPath, count

if TYPE_CHECKING:
    from regard.tasks.heads.pruning import Pruning


@click.command(context_settings={"show_default": True})
@click.argument("model")
@click.option("--keep", type=PART, required=True, help="The share of heads that stays.")
@click.option("--by", type=click.Choice(JUDGES), default="importance", help="What heads are judged by.")
@click.option("--by-layer", is_flag=True, help="Importance as a share of the layer's.")
@click.option(
    "--data", multiple=True, required=True, metavar="FILE", help="What to judge by; pairs in two files: twice."
)
@click.option(
    "--test", multiple=True, metavar="FILE", help="What to measure by.  [default: every tenth line of --data]"
)
@click.option("--out", required=True, type=NamedPath(file_okay=False), metavar="FOLDER", help="Where to write it.")
@click.option("--tune", type=count(least=0), default=0, metavar="STEPS", help="Let it learn on from --data.")
@click.option("--learning-rate", type=POSITIVE, default=1e-4, help="Of learning on, at its beginning.")
@renamed("--rate", "--learning-rate")
@click.option("--limit", type=count(), default=1000, help="Lines that are judged by, and that are measured.")
@click.option("--swap", is_flag=True, help="Pairs the other way round: from the second file to the first.")
@click.option(
    "--label",
    type=click.Choice(["first", "last", "word", "coarse"]),
    default="last",
    help="Where a line has its label.",
)
@click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def prune(
    model: str,
    data: tuple[str, ...],
    test: tuple[str, ...],
    out: str,
    tune: int,
    learning_rate: float,
    swap: bool,
    label: str,
    device: str,
    as_json: bool,
    **how: Any,
) -> None:
    """Take the weakest heads out of a model and write the smaller one, with its scores before and after.

    Heads of all layers are ranked together; at least one stays in every layer. The folder is one like any other:
    regard loads it by its name, and pruning.json in it says what was done.

    \b
    regard prune runs/en-de/model --keep 0.5 --data valid.en --data valid.de --out runs/en-de/half
    regard prune runs/sst2/model --keep 0.3 --by gates --data train.tsv --test test.tsv --tune 200 --out small
    """
    from regard.tasks import load
    from regard.tasks.evaluation import corpus_for
    from regard.tasks.heads import prune_task
    from regard.tasks.heads.pruning import Tuning

    task = load(model, device=device)
    corpora = [corpus_for(task, files, swap=swap, label=label) if files else None for files in (data, test)]
    say = (lambda line: click.echo(line, err=True)) if sys.stderr.isatty() else (lambda line: None)
    # Stories, which are no Corpus, are refused by their columns.
    pruning = prune_task(task, corpora[0], out, test=corpora[1], tuning=Tuning(tune, learning_rate), say=say, **how)  # type: ignore[arg-type]
    click.echo(json.dumps(asdict(pruning)) if as_json else "\n".join(report(pruning)))


def report(pruning: "Pruning") -> list[str]:
    """What is left, and the scores side by side."""
    pairs = {"heads": pruning.heads, "parameters": pruning.parameters, "bytes": pruning.bytes}
    lines = [f"{'':<20}{'before':>14}{'after':>14}{'ratio':>8}"]
    lines += [f"{name:<20}{one:>14,}{other:>14,}{other / one:>8.2f}" for name, (one, other) in pairs.items()]
    for name, one in pruning.before.items():
        lines.append(f"{name.replace('_', ' '):<20}{one:>14.4f}{pruning.after[name]:>14.4f}")
    pruned = [f"  {layer} {' '.join(map(str, heads))}" for layer, heads in pruning.pruned.items()]
    return [*lines, "", f"taken out by {pruning.by}:", *pruned, "", pruning.folder]
