"""`regard diff`: what changed in where a model looks."""

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from regard.cli.values import FILE, count

if TYPE_CHECKING:
    from regard.pictures import Picture


@click.command(context_settings={"show_default": True})
@click.argument("model")
@click.argument("other", required=False)
@click.option("--text", "texts", multiple=True, required=True, metavar="TEXT", help="What is read; twice: two texts.")
@click.option("--target", metavar="TEXT", help="What a translator writes.  [default: what MODEL writes]")
@click.option("--steps", is_flag=True, help="MODEL is a training run: from each saved step to the next.")
@click.option("--at", "layer", metavar="LAYER", help="Draw the difference of one head, as in decoder.1.cross.")
@click.option("--head", type=count(least=0), default=0, help="Which head of that layer.")
@click.option("--output", type=FILE, metavar="FILE", help="Draw it: .svg, .png, .html or .txt.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the models run, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def diff(
    model: str,
    other: str | None,
    texts: tuple[str, ...],
    target: str | None,
    steps: bool,
    layer: str | None,
    head: int,
    output: str | None,
    device: str,
    as_json: bool,
) -> None:
    """Compare what two models attend to, what one model attends to in two texts, or what training changed.

    A head's divergence is that of Jensen and Shannon in bits, the mean over all queries: 0 where nothing changed, 1
    where nothing stayed. With --at the difference of one head's weights is drawn, exact, at any length.

    \b
    regard diff runs/en-de/model runs/en-de/tuned --text "Where is the station?"
    regard diff en-de --text "The cat sleeps." --text "The dog sleeps." --at decoder.1.cross --head 2
    regard diff runs/en-de --steps --text "Where is the station?" --output steps.html
    """
    text, *more = texts
    if steps and (other or layer or more):
        raise click.UsageError("--steps takes one MODEL and one --text")
    if not steps and (len(more) > 1 or bool(other) == bool(more)):
        raise click.UsageError("two models and one --text, or one model and two: give OTHER or a second --text")
    from regard.tasks import load, reading_difference

    if steps:
        course = reading_difference.of_steps(model, text, target, device=device)
        show(course.picture(), {"steps": course.steps, "divergences": course.divergences}, output, as_json)
        return
    task = load(model, device=device)
    if other:
        difference = reading_difference.of_models(task, load(other, device=device), text, target)
    else:
        difference = reading_difference.of_texts(task, text, more[0], target)
    plain: dict[str, object] = {"divergence": difference.divergences()}
    picture = difference.picture() if layer is None else difference.tile(layer, head)
    if layer is not None:
        plain |= {"layer": layer, "head": head, "difference": picture.table}
        plain |= dict(zip(("rows", "columns"), difference.first.labels(layer), strict=True))
    show(picture, plain, output, as_json)


def show(picture: "Picture", plain: dict[str, object], output: str | None, as_json: bool) -> None:
    """Drawn here, or in a file, or as numbers."""
    from shutil import get_terminal_size

    if output:
        picture.save(output)
    if as_json:
        click.echo(json.dumps(plain, ensure_ascii=False))
        return
    there = (
        {"colour": "NO_COLOR" not in os.environ, "width": get_terminal_size().columns} if sys.stdout.isatty() else {}
    )
    click.echo("\n".join([picture.name, "", picture.draw(**there)]))
