"""`regard ablate`: what each part of a model is good for."""

import json
import sys

import click

from regard.cli.values import NamedPath


@click.command()
@click.argument("recipe", type=NamedPath(exists=True, dir_okay=False))
@click.option("--vary", multiple=True, required=True, metavar="KEY=VALUE,VALUE", help="A key, and what it is to be.")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key in all of them.")
@click.option("--seeds", default="1", show_default=True, metavar="N,N", help="Train with each of these seeds.")
@click.option("--device", default="cpu", show_default=True, help="Where it is computed: cpu, cuda.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object a row.")
def ablate(
    recipe: str, vary: tuple[str, ...], changes: tuple[str, ...], seeds: str, device: str, as_json: bool
) -> None:
    """Train a recipe as it is and with one key changed at a time, and print a table of scores on the valid set.

    Trainings run one after another, in folders beside the recipe's run; the same command goes on after a stop (exit
    code 3), and what is finished is only read.

    \b
    regard ablate recipes/reverse.toml --vary model.heads=1,2,8 --vary model.position.kind=none,rotary --seeds 1,2,3
    regard ablate recipes/reverse.toml --vary model.residual=false --vary model.norm=rms,none
    regard ablate recipes/reverse.toml --vary 'model.score={kind="dot",scale=1.0}'
    """
    from regard.tasks.find import find
    from regard.training import Stopped
    from regard.training.run.ablation import ablate as train_variants
    from regard.training.run.ablation import ablation_table, read_variants
    from regard.training.run.memory_pool import keep_freed_memory

    try:
        numbers = [int(seed) for seed in seeds.split(",")]
    except ValueError:
        raise click.UsageError(f"--seeds {seeds!r}: numbers with commas between them expected, as in 1,2,3") from None
    variants = read_variants(recipe, changes, vary, find=lambda name: str(find(name)))
    keep_freed_memory()
    rows = []
    try:
        for row in train_variants(variants, numbers, device=device, say=lambda line: click.echo(line, err=True)):
            rows.append(row)
            if as_json:
                click.echo(json.dumps(row.plain()))
    except Stopped:
        click.echo("regard: stopped and saved; the same command goes on", err=True)
        sys.exit(3)
    if not as_json:
        click.echo(ablation_table(rows, variants[0].recipe.train.metric))
