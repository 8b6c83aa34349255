"""`regard models`: what there is to load, and what can be cleared away."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from regard.cli.values import NamedPath

if TYPE_CHECKING:
    from regard.tasks.listing import ListedModel

COLUMNS = ["name", "where", "task", "architecture", "parameters", "size", "licence", "scores"]


@click.command(context_settings={"show_default": True})
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=NamedPath(path_type=Path))
@click.option(
    "--clear", is_flag=True, help="Remove caches instead: engine builds, packed models, those of runs in FOLDER."
)
@click.option("--yes", is_flag=True, help="Do not ask before.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def models(folders: tuple[Path, ...], clear: bool, yes: bool, as_json: bool) -> None:
    """List models: what each is for, its architecture, parameters, size, licence and scores.

    Without FOLDER, those that came with the install and those fetched from the Hugging Face Hub; with it, the model
    in that folder or the models in its subfolders. The Hub's cache is shared with other programs: `hf cache` clears it.

    \b
    regard models
    regard models runs/ --json
    regard models --clear
    regard models --clear runs/ --yes
    """
    if clear:
        return clear_caches(folders, yes, as_json)
    from regard.tasks.listing import list_models

    listed = list_models(list(folders))
    if as_json:
        click.echo(json.dumps([asdict(model) for model in listed], ensure_ascii=False))
        return
    if not listed:
        click.echo("no model is built in or cached; --model takes a folder or a Hugging Face id")
        return
    rows = [COLUMNS, *map(row, listed)]
    widths = [max(len(row[column]) for row in rows if len(row) > column + 1) for column in range(len(COLUMNS) - 1)]
    for cells in rows:
        line = [cell.ljust(width) for cell, width in zip(cells[:-1], widths, strict=False)]
        click.echo("  ".join([*line, cells[-1]]).rstrip())


def row(model: "ListedModel") -> list[str]:
    """What is known of a model, or what is wrong with it."""
    cells = [model.name, model.where, model.task or "-", model.architecture or "-"]
    if model.problem:
        return [*cells, model.problem]
    scores = ", ".join(f"{name} {value:.2f}" for name, value in model.scores.items())
    return [*cells, f"{model.parameters:,}", size(model.size), model.licence or "-", scores or "-"]


def clear_caches(folders: tuple[Path, ...], yes: bool, as_json: bool) -> None:
    """Say what there is, ask, and remove it."""
    from regard.tasks.caches import caches, clear

    present = caches(folders)
    if present and not yes:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError("--clear removes nothing unasked: add --yes")
        for cache in present:
            click.echo(f"{cache.what}  {size(cache.size)}  {cache.path}")
        click.confirm("remove them?", abort=True)
    clear(present)
    if as_json:
        removed = [asdict(cache) | {"path": str(cache.path)} for cache in present]
        click.echo(json.dumps(removed, ensure_ascii=False))
        return
    for cache in present:
        click.echo(f"removed {cache.what}: {size(cache.size)} in {cache.path}")
    if not present:
        click.echo("no caches")


def size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
