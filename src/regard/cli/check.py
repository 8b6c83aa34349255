"""`regard check`: what is wrong with data, before training finds out."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from regard.cli.values import FiniteNumber, NamedPath, count


@click.command(context_settings={"show_default": True})
@click.argument("data", nargs=-1, required=True, metavar="DATA...", type=NamedPath(path_type=Path))
@click.option("--longest", type=count(1 << 30), default=2000, help="Characters up to which a line is not too long.")
@click.option("--ratio", type=FiniteNumber(1), default=4.0, help="How many times as long one side may be.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def check(data: tuple[Path, ...], longest: int, ratio: float, as_json: bool) -> None:
    """Look for faults in one file of text, two parallel ones or a .tsv; plain, .gz or .xz.

    Prints each kind with its count and the first locations. Ends with 1 where training would refuse the data, with 0
    where there are only warnings. Goes through the files once, in little memory.

    \b
    regard check train.en train.de
    regard check train.tsv.xz --json
    """
    from regard.text.check import check_files

    if len(data) > 2:
        raise click.UsageError(f"one file or two parallel ones expected, got {len(data)}")
    report = check_files(data, max_characters=longest, ratio=ratio)
    if as_json:
        click.echo(json.dumps(asdict(report), ensure_ascii=False))
    else:
        for file, count in zip(report.files, report.lines, strict=True):
            click.echo(f"{file}: {count:,} lines")
        for finding in report.findings:
            kind = f"{'fault' if finding.stops else 'warning':8} {finding.kind:12}"
            click.echo(f"{kind} {'about ' if finding.estimated else ''}{finding.count:,}: {finding.meaning}")
            click.echo(
                f"{'':21} {', '.join(finding.locations)}{', …' if finding.count > len(finding.locations) else ''}"
            )
        if not report.findings:
            click.echo("nothing found")
    if report.stops:
        sys.exit(1)
