"""`regard mask`: draw who may look at whom."""

import json
from functools import reduce
from operator import and_
from typing import Literal

import click

from regard.cli.values import count

# The options of each kind: one given without its kind would do nothing, and is refused.
KINDS: dict[str, list[str]] = {"causal": [], "window": ["before", "after"], "padding": ["lengths", "side"]}
LENGTH = count(4096)


def whole_numbers(ctx: click.Context, param: click.Parameter, value: str | None) -> list[int]:
    """'3,5' as [3, 5]."""
    try:
        numbers = [int(number) for number in value.split(",")] if value is not None else []
    except ValueError:
        raise click.BadParameter(f"expected whole numbers such as 3,5, got {value!r}") from None
    if any(number < 0 for number in numbers):
        raise click.BadParameter(f"a length is never negative, got {value!r}")
    return numbers


def refuse_strays(ctx: click.Context, kinds: tuple[str, ...]) -> None:
    """Wrong usage if an option was given whose kind was not, or padding without its lengths."""
    for kind, options in KINDS.items():
        for option in options:
            if kind not in kinds and ctx.get_parameter_source(option) != click.core.ParameterSource.DEFAULT:
                raise click.UsageError(f"--{option} belongs to {kind}, which was not asked for")
    if "padding" in kinds and not ctx.params["lengths"]:
        raise click.UsageError("padding needs --lengths, as in --lengths 3,5")


@click.command(context_settings={"show_default": True})
@click.argument("kinds", nargs=-1, required=True, metavar="KIND...", type=click.Choice(list(KINDS)))
@click.option("--queries", type=LENGTH, help="Positions that look; without it, as many as keys.")
@click.option("--keys", type=LENGTH, help="Positions seen; without it, the longest length, --queries or 8.")
@click.option("--before", type=count(least=0), default=2, help="window: positions seen before one's own.")
@click.option("--after", type=count(least=0), default=0, help="window: positions seen after one's own.")
@click.option("--lengths", callback=whole_numbers, help="padding: tokens of each sequence, as in 3,5.")
@click.option("--side", type=click.Choice(["left", "right"]), default="right", help="padding: its side.")
@click.option("--json", "as_json", is_flag=True, help="Print nested lists: batch, heads, queries, keys.")
@click.pass_context
def mask(
    ctx: click.Context,
    kinds: tuple[str, ...],
    queries: int | None,
    keys: int | None,
    before: int,
    after: int,
    lengths: list[int],
    side: Literal["left", "right"],
    as_json: bool,
) -> None:
    """Draw a mask: which query (a row) may look at which key (a column).

    KIND is causal, window or padding; given several, a query sees what all of them allow.
    The last query stands beside the last key.
    """
    refuse_strays(ctx, kinds)
    from regard.attention import Causal, Padding, Window

    keys = keys or max(lengths, default=0) or queries or 8
    queries = queries or keys
    make = {
        "causal": Causal,
        "window": lambda: Window(before, after),
        "padding": lambda: Padding.from_lengths(lengths, side=side, keys=keys),
    }
    allowed = reduce(and_, (make[kind]() for kind in kinds))
    if as_json:
        click.echo(json.dumps(allowed.grid(queries, keys).tolist()))
    else:
        click.echo(allowed.draw(queries, keys))
