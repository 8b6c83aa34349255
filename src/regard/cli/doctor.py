"""`regard doctor`: what a report of a fault needs."""

import json
from collections.abc import Iterator
from typing import Any

import click


@click.command(context_settings={"show_default": True})
@click.option("--build", is_flag=True, help="Build the engine where it is not there yet.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def doctor(build: bool, as_json: bool) -> None:
    """Say what is installed and what runs: versions, the processor, the engine or why there is none, caches, models.

    It needs no torch and no network, and changes nothing without --build. Paste what it prints into a report.

    \b
    regard doctor
    regard doctor --json
    """
    from regard.diagnosis import diagnose

    report = diagnose(build=build)
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    for line in lines(report):
        click.echo(line)


def lines(report: dict[str, Any]) -> Iterator[str]:
    """A report for people."""
    for name, value in report.items():
        if not isinstance(value, dict):
            yield f"{name:12} {value}"
            continue
        if not value:
            continue
        yield f"{name}:"
        for key, part in value.items():
            text = ", ".join(map(str, part)) if isinstance(part, list) else "-" if part in (None, "") else str(part)
            yield f"  {key:16} {text}"
