"""`regard circuits`: what the heads of a model do."""

import json
from typing import Any

import click

MOST = 10  # pairs of heads that are named


@click.command(context_settings={"show_default": True})
@click.argument("model")
@click.argument("text", required=False)
@click.option("--least", type=click.FloatRange(0, 1), default=0.4, help="The score from which on a head is named.")
@click.option("--compose", is_flag=True, help="Which heads read what which others wrote, from the weights alone.")
@click.option("--head", "table", metavar="PLACE:HEAD", help="Its tables instead, as in decoder.0.self:3.")
@click.option("--top", type=click.IntRange(1), default=10, help="Entries of a table, or tokens beside each of TEXT.")
@click.option("--output", type=click.Path(dir_okay=False), metavar="FILE", help="Draw it: .svg, .png, .html or .txt.")
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
    from regard.tasks import load
    from regard.tasks.inside import circuits_of, tables_of

    task = load(model, device=device)
    if table:
        if output:
            raise click.UsageError("--output draws heads, not their tables")
        found = tables_of(task, table, text, top)
        click.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(listed(found)))
    elif compose:
        from regard.looking.composition import composition

        pairs = composition(task.model)
        if output:
            pairs.album().save(output)
        told = [dict(zip(PAIR, pair, strict=True)) for pair in pairs.ranked(MOST)]
        lines = [
            f"{one['score']:.3f}  {one['kind']:<6} {one['later']} {one['head']} reads {one['earlier']} {one['other']}"
            for one in told
        ]
        chance = f"chance: {pairs.chance:.3f}"
        click.echo(json.dumps({"chance": pairs.chance, "pairs": told}) if as_json else "\n".join([*lines, chance]))
    else:
        heads = circuits_of(task, text)
        if output:
            heads.album().save(output)
        some = [one._asdict() for one in heads.found(least)]
        scores = {kind: {at: row.tolist() for at, row in places.items()} for kind, places in heads.scores.items()}
        click.echo(json.dumps({"found": some, "scores": scores}) if as_json else "\n".join(named(heads, least)))


def named(heads: Any, least: float) -> list[str]:
    """The heads found; where there are none of a kind, the one that comes nearest."""
    lines = []
    for kind in heads.scores:
        mine = [one for one in heads.found(-1.0) if one.kind == kind]
        clear = [one for one in mine if one.score >= least]
        lines += [f"{one.score:6.3f}  {kind:<10} {one.place} {one.head}" for one in clear or mine[:1]]
        lines[-1] += "" if clear else "  (the nearest: below --least)"
    return lines


PAIR = ("score", "kind", "later", "head", "earlier", "other")


def listed(found: dict[str, Any]) -> list[str]:
    """Both tables: token by token, or the largest entries."""
    from regard.pictures.labels import label

    lines = []
    for name, title in (("qk", "looks for"), ("ov", "promotes")):
        lines.append(f"{title} (itself: {found[name]['copying']:+.2f})")
        for token, others in found[name]["rows"]:
            lines.append(f"  {label(token)}  " + "  ".join(f"{score:.2f} {label(other)}" for other, score in others))
    return lines
