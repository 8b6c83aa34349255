"""`regard evaluate`: how good a model is on texts whose answers are known."""

import json
import os
from typing import TYPE_CHECKING, Any

import click

from regard.cli.streams import open_output
from regard.cli.texts import progress
from regard.cli.values import BEAMS, FILE, PENALTY, PRECISIONS, SEEDS, NamedPath, count

if TYPE_CHECKING:
    from regard.tasks.evaluation import Evaluation


@click.command(context_settings={"show_default": True})
@click.argument("model")
@click.argument("data", nargs=-1, required=True, metavar="DATA...", type=NamedPath())
@click.option("--swap", is_flag=True, help="Pairs the other way round: from the second file to the first.")
@click.option("--beam", type=BEAMS, help="Texts that a search keeps.  [default: as the model says]")
@click.option("--length-penalty", type=PENALTY, help="Above 1 for longer answers.  [default: as the model says]")
@click.option("--precision", type=PRECISIONS, default="float32", help="Of the weights that write.")
@click.option("--language", metavar="CODE", help="What to write, for models that write several: fra or >>fra<<.")
@click.option("--split", is_flag=True, help="Translate sentence by sentence; no perplexity then.")
@click.option(
    "--tokenize", default="13a", metavar="NAME", help="How sacreBLEU cuts texts: 13a, none, intl, char, zh, …"
)
@click.option("--lowercase", is_flag=True, help="Capitals do not count in BLEU and chrF.")
@click.option("--bpe-removed", is_flag=True, help='Join "ma@@ chine" first.  [default: if the model\'s tokeniser does]')
@click.option("--hypotheses", type=FILE, metavar="FILE", help="Write the translations to here.")
@click.option(
    "--label",
    type=click.Choice(["first", "last", "word", "coarse"]),
    default="last",
    help="Where a line has its label.",
)
@click.option("--cut", is_flag=True, help="Label a text that is too long by its beginning.")
@click.option("--context", type=count(), help="Tokens that a model of text reads at once.")
@click.option("--seed", type=SEEDS, default=1, help="Another number hides other words from a masked model.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate(
    model: str,
    data: tuple[str, ...],
    swap: bool,
    hypotheses: str | None,
    bpe_removed: bool,
    label: str,
    device: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure a model on DATA; what is measured follows from the model.

    Translators: BLEU and chrF by sacreBLEU with its signature, and perplexity, on two parallel files or one .tsv.
    Language models: perplexity. Masked models: the loss of hidden words. Classifiers: accuracy and F1. Memory networks:
    accuracy, on stories or some files of an archive of them. Files are plain, .gz or .xz.

    \b
    regard evaluate runs/en-de/model test.en test.de --beam 5 --hypotheses test.out
    regard evaluate runs/multi30k-tiny/model test.2016.en.xz test.2016.de.xz --beam 5 --tokenize none --lowercase
    regard evaluate runs/sst2/model test.tsv --json
    regard evaluate babi 'babi-en-1k.tar.xz/*_test.txt'
    """
    if hypotheses and any(os.path.exists(path) and same(path, hypotheses) for path in data):
        raise click.UsageError("--hypotheses would overwrite DATA")
    from regard.tasks import load
    from regard.tasks.evaluation import corpus_for
    from regard.tasks.evaluation import evaluate as measure

    task = load(model, device=device)
    corpus = corpus_for(task, data, swap=swap, label=label)
    with progress(1, to_file=True) as along:
        evaluation = measure(task, corpus, on_progress=along, bpe_removed=bpe_removed or None, **options)
    if hypotheses:
        with open_output(hypotheses) as write:
            write(evaluation.hypotheses)
    click.echo(json.dumps(evaluation.plain(), ensure_ascii=False) if as_json else "\n".join(report(evaluation)))


def same(path: str, other: str) -> bool:
    return os.path.exists(other) and os.path.samefile(path, other)


def report(evaluation: "Evaluation") -> list[str]:
    """The scores, how they were counted, and the tables."""
    lines = [f"{'texts':<20}{evaluation.texts:>10,}"]
    lines += [f"{name.replace('_', ' '):<20}{number(name, value):>10}" for name, value in evaluation.scores.items()]
    for title, table in evaluation.tables.items():
        columns = list(next(iter(table.values())))
        wide = max(len(title), *map(len, table))
        lines += ["", title.ljust(wide) + "".join(f"{column:>12}" for column in columns)]
        for name, row in table.items():
            lines.append(name.ljust(wide) + "".join(f"{number(column, row[column]):>12}" for column in columns))
    for name, details in evaluation.details.items():
        fields = "  ".join(f"{key} {round_detail(detail)}" for key, detail in details.items())
        lines += ["", f"{name}: {fields}"]
    return lines


def number(name: str, value: float) -> str:
    """As it is usually written: counts whole, BLEU with two digits, all else with four."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if name in ("bleu", "chrf") else f"{value:.4f}" if value < 1e6 else f"{value:.3g}"


def round_detail(detail: object) -> str:
    if isinstance(detail, list):
        return "/".join(f"{one:.1f}" for one in detail)
    return f"{detail:.3f}" if isinstance(detail, float) else str(detail)
