"""`regard draw`: what a model is made of, as boxes and arrows."""

import json
from pathlib import Path

import click

from regard.cli.values import FILE, count


@click.command(context_settings={"show_default": True})
@click.argument("name", metavar="NAME")
@click.option("--output", "-o", type=FILE, help="Write there: .svg, .png, .html or .txt; - prints SVG.")
@click.option("--block", metavar="N", help="One block large, as in 0, or encoder.0 where there are two stacks.")
@click.option(
    "--links",
    is_flag=False,
    flag_value=".",
    metavar="[PATH]",
    help="Link boxes to their code; PATH leads from the drawing to the folder of src.",
)
@click.option("--dark", is_flag=True, help="A dark background, in PNG; the others are as the page that shows them.")
@click.option("--vocabulary", type=count(1 << 24), help="Words, where NAME is a published size or a recipe.")
@click.option("--width", type=count(1000), default=80, help="Columns of the terminal for what is written below.")
@click.option("--json", "as_json", is_flag=True, help="Print the diagram as data.")
def draw(
    name: str,
    output: str | None,
    block: str | None,
    links: str | None,
    dark: bool,
    vocabulary: int | None,
    width: int,
    as_json: bool,
) -> None:
    """Draw the architecture of a model, from its config alone: the weights are not read.

    NAME is a published size (bert-base, gpt2, transformer-base, …), a built-in model, a folder, a Hugging Face id or a
    recipe. Boxes have the sizes and the numbers of parameters of their parts.

    \b
    regard draw transformer-base
    regard draw en-de --block decoder.0
    regard draw recipes/babi.toml --vocabulary 175 -o memory.svg
    regard draw gpt2 -o gpt2.html --links ../regard
    """
    if as_json and output:
        raise click.UsageError("--json prints; --output writes a drawing: one or the other")
    from regard.architectures import diagram_of
    from regard.architectures.inside import block_diagram
    from regard.tasks.model_config import find_config

    named_config = find_config(name, vocabulary=vocabulary)
    if block is None:
        diagram = diagram_of(named_config.config, named_config.name)
    else:
        diagram = block_diagram(named_config.config, block, named_config.name)
    if as_json:
        click.echo(json.dumps(diagram.as_data(), ensure_ascii=False))
    elif output == "-":
        click.echo(diagram.svg(links=links), nl=False)
    elif output:
        diagram.save(Path(output), links=links, dark=dark)
    else:
        click.echo(diagram.draw(width=width), nl=False)
