"""`regard train`: follow a recipe, or go on following it."""

import json
import os
import sys

import click

from regard.cli.values import NamedPath


@click.command()
@click.argument("recipe", type=NamedPath(exists=True, dir_okay=False))
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key, as in train.steps=100.")
@click.option(
    "--accept-changed-data",
    is_flag=True,
    help="Go on though texts, tokenizer or start model are not what they were; what changed is logged.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would take: parameters, memory, steps an epoch, time.")
@click.option(
    "--finish",
    is_flag=True,
    help="Make the model of what was learned so far; training can go on.",
)
@click.option("--device", default="cpu", show_default=True, help="Where it is computed: cpu, cuda.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def train(
    recipe: str,
    changes: tuple[str, ...],
    accept_changed_data: bool,
    dry_run: bool,
    finish: bool,
    device: str,
    as_json: bool,
) -> None:
    """Train a model as a recipe says, in the folder that it names as its run.

    The same command goes on where it was, after a stop, a crash or a kill, and ends with the same bits. Ctrl-C and
    SIGTERM save and leave within a step (exit code 3). Under torchrun every process takes its share of the batches.

    \b
    regard train recipes/tatoeba-en-de.toml --set data.folder=/data/tatoeba
    regard train my.toml --dry-run
    regard train my.toml --set train.minutes=7
    regard train my.toml --finish
    torchrun --nproc-per-node 2 -m regard train my.toml
    """
    from regard.errors import RecipeError, UnknownName
    from regard.tasks.find import find
    from regard.training import Stopped, estimate, format_estimate, read_recipe
    from regard.training import train as follow
    from regard.training.run.memory_pool import keep_freed_memory

    wanted = read_recipe(recipe, changes, find=lambda name: str(find(name)))
    speaks = os.environ.get("RANK", "0") == "0"
    try:
        if dry_run:
            sizes = estimate(wanted, device=device)
            click.echo(json.dumps(sizes) if as_json else format_estimate(sizes))
            return
        keep_freed_memory()
        folder = follow(wanted, device=device, accept_changed_data=accept_changed_data, finish=finish)
    except (RecipeError, UnknownName) as problem:  # found out when the data or the model was there
        raise RecipeError(f"{recipe}: {problem}") from None
    except Stopped:
        if speaks:
            click.echo("regard: stopped and saved; the same command goes on, --finish makes the model", err=True)
        sys.exit(3)
    if speaks:
        click.echo(json.dumps({"model": str(folder)}) if as_json else folder)
