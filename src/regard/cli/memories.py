"""`regard memories`: what triggers the units of feed-forward layers, and what they promote."""

import json
from typing import TYPE_CHECKING

import click

from regard.cli.renamed import renamed
from regard.cli.values import FILE, count

if TYPE_CHECKING:
    from regard.tasks.inside import UnitMemory


@click.command(context_settings={"show_default": True})
@click.argument("model")
@click.argument("data", type=FILE)
@click.option("--layer", "layers", multiple=True, metavar="BLOCK", help="decoder.3 or encoder.*; more than one may be.")
@click.option(
    "--unit", "units", type=count(least=0), multiple=True, help="Units to show.  [default: those that match most]"
)
@click.option("--units", "count", type=count(), default=3, help="How many of those.")
@click.option("--top", type=count(), default=5, help="Prefixes and words to show for each.")
@click.option("--limit", type=count(), default=1000, help="Lines of DATA that are read.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each unit.")
@renamed("--place", "--layer")
def memories(
    model: str,
    data: str,
    layers: tuple[str, ...],
    units: tuple[int, ...],
    count: int,
    top: int,
    limit: int,
    device: str,
    as_json: bool,
) -> None:
    """Look into feed-forward layers as memories: which prefixes of DATA match a unit's key most, and which words its
    value promotes (Geva et al. 2021).

    DATA is a file of lines, plain, .gz or .xz. Without --unit, the units of every layer that some prefix matches most.

    \b
    regard memories shakespeare input.txt --layer decoder.3
    regard memories gpt2 lines.txt --layer decoder.10 --unit 5 --unit 17 --json
    """
    from regard.tasks import load
    from regard.tasks.inside import memories_of

    task = load(model, device=device)
    for unit in memories_of(task, data, layers, units, count, top, limit):
        click.echo(json.dumps(unit, ensure_ascii=False) if as_json else "\n".join(report(unit)))


def report(unit: "UnitMemory") -> list[str]:
    from regard.pictures.labels import label, visible

    words = "  ".join(label(word) for word, _ in unit["promotes"])
    lines = [f"{unit['layer']} unit {unit['unit']}" + (f"  promotes: {words}" if words else "")]
    return [*lines, *(f"  {match:.3f}  {visible(prefix)}" for prefix, match in unit["triggers"])]
