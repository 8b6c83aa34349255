"""`regard circuits`: what the heads of a model do."""

import json
from typing import TYPE_CHECKING

import click

from regard.cli.values import FILE, SHARE, count

if TYPE_CHECKING:
    from regard.looking.circuits import Circuits
    from regard.looking.composition import Composition
    from regard.tasks.inside import TableRows

MOST = 10  # pairs of heads that are named


@click.command(context_settings={"show_default": True})
@click.argument("model")
@click.argument("text", required=False)
@click.option("--least", type=SHARE, default=0.4, help="The score from which on a head is named.")
@click.option("--compose", is_flag=True, help="Which heads read what which others wrote, from the weights alone.")
@click.option("--head", "table", metavar="LAYER:HEAD", help="Its tables instead, as in decoder.0.self:3.")
@click.option("--top", type=count(), default=10, help="Entries of a table, or tokens beside each of TEXT.")
@click.option("--output", type=FILE, metavar="FILE", help="Draw it: .svg, .png, .html or .txt.")
@click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def circuits(
    model: str,
    text: str | None,
    least: float,
    compose: bool,
    table: str | None,
    top: int,
    output: str | None,
    device: str,
    as_json: bool,
) -> None:
    """Find heads that look at the previous token, at duplicates, at what followed before (induction), at a sink, or at
    a fixed distance.

    Heads are judged by TEXT, or by random tokens that come twice, which show induction best. A score of 1 means that a
    head looks nowhere else, 0 that it does no better than chance.

    \b
    regard circuits shakespeare
    regard circuits gpt2 --compose --output composition.html
    regard circuits shakespeare "the" --head decoder.1.self:2
    """
    if table and (output or compose):
        raise click.UsageError("--head prints tables: without --output and --compose")
    from regard.looking.composition import composition
    from regard.tasks import load
    from regard.tasks.inside import circuits_of, tables_of

    task, album = load(model, device=device), None
    if table:
        plain = tables_of(task, table, text, top)
        lines = table_lines(plain)
    elif compose:
        pairs = composition(task.model)
        album, plain = pairs.album(), pairs.plain(MOST)
        lines = paired_heads(pairs)
    else:
        heads = circuits_of(task, text)
        album, plain = heads.album(), heads.plain(least)
        lines = named_heads(heads, least)
    if output and album is not None:
        album.save(output)
    click.echo(json.dumps(plain, ensure_ascii=False) if as_json else "\n".join(lines))


def named_heads(heads: "Circuits", least: float) -> list[str]:
    """The heads found; where there are none of a kind, the one that comes nearest."""
    lines = []
    for kind in heads.scores:
        ranked = [head for head in heads.heads(-1.0) if head.kind == kind]
        clear = [head for head in ranked if head.score >= least]
        lines += [f"{head.score:6.3f}  {kind:<10} {head.layer} {head.head}" for head in clear or ranked[:1]]
        lines[-1] += "" if clear else "  (the nearest: below --least)"
    return lines


def paired_heads(pairs: "Composition") -> list[str]:
    """The strongest pairs, and what chance would give."""
    lines = [
        f"{score:.3f}  {kind:<6} {later} {head} reads {earlier} {other}"
        for score, kind, later, head, earlier, other in pairs.strongest(MOST)
    ]
    return [*lines, f"chance: {pairs.chance:.3f}"]


def table_lines(tables: "dict[str, TableRows]") -> list[str]:
    """Both tables: token by token, or the largest entries."""
    from regard.pictures.labels import label

    lines = []
    for name, title in (("qk", "looks for"), ("ov", "promotes")):
        lines.append(f"{title} (itself: {tables[name]['copying']:+.2f})")
        for token, others in tables[name]["rows"]:
            lines.append(f"  {label(token)}  " + "  ".join(f"{score:.2f} {label(other)}" for other, score in others))
    return lines
