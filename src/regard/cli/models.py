"""`regard models`: what there is to load."""

import json
from dataclasses import asdict
from pathlib import Path

import click


@click.command(context_settings={"show_default": True})
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def models(folders: tuple[Path, ...], as_json: bool) -> None:
    """List models: what each is for, its architecture, parameters and size.

    Without FOLDER, those that came with the install and those fetched from the Hugging Face Hub; with it, the model
    in that folder or the models in its subfolders.

    \b
    regard models
    regard models runs/ --json
    """
    from regard.tasks.listing import listed

    found = listed(list(folders))
    if as_json:
        click.echo(json.dumps([asdict(model) for model in found], ensure_ascii=False))
        return
    if not found:
        click.echo("no model is built in or cached; --model takes a folder or a Hugging Face id")
        return
    rows = [["name", "where", "task", "architecture", "parameters", "size"]]
    for model in found:
        counts = ["", model.problem] if model.problem else [f"{model.parameters:,}", f"{model.size / 1e6:,.1f} MB"]
        rows.append([model.name, model.where, model.task or "-", model.architecture or "-", *counts])
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for *cells, last in rows:
        line = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        click.echo("  ".join([*line, last]))
