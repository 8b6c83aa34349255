"""`regard curves`: how trainings went."""

import json
from pathlib import Path

import click

from regard.cli.values import NamedPath


@click.command(context_settings={"show_default": True})
@click.argument("runs", nargs=-1, required=True, type=NamedPath(exists=True, file_okay=False, path_type=Path))
@click.option("--score", default="loss", help="What to show: loss, perplexity, bleu, accuracy, rate, norm, …")
@click.option("--output", type=NamedPath(dir_okay=False, path_type=Path), help="Write an SVG.")
@click.option("--log", "is_log", is_flag=True, help="A logarithmic scale in the SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the points as JSON.")
def curves(runs: tuple[Path, ...], score: str, output: Path | None, is_log: bool, as_json: bool) -> None:
    """Draw the training curves of one run or several, in the terminal or as an SVG.

    \b
    regard curves runs/en-de
    regard curves runs/en-de runs/de-en --score bleu --output bleu.svg
    """
    import sys
    from shutil import get_terminal_size

    from regard.files import write_file
    from regard.pictures.chart import lines
    from regard.pictures.plot import plot
    from regard.training.run.curves import curves as read

    points = read(runs, score)
    if output is not None:
        write_file(output, lines(points, log_y=is_log, title=score, x="step", y=score))
    if as_json:
        click.echo(json.dumps(points))
    elif output is not None:
        click.echo(output)
    else:
        click.echo(plot(points, width=get_terminal_size().columns, colour=sys.stdout.isatty(), x="step"))
