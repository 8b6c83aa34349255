"""What commands that ask a model share: where texts come from, which model, how far along."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from regard.errors import RegardError

MANY = 8  # texts from which on progress is shown


def asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument and the options of every command that asks a model about texts."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each text."),
        click.option("--device", default="cpu", metavar="NAME", help="Where the model runs, as in cuda or cuda:1."),
        click.option(
            "--model", "-m", required=True, metavar="NAME", help="A folder, a built-in name or a Hugging Face id."
        ),
        click.argument("texts", nargs=-1, metavar="[TEXT]...", callback=given),
    ):
        command = option(command)
    return command


def given(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> list[str]:
    """The texts of the command line, or the lines of standard input."""
    if value:
        return list(value)
    if sys.stdin.isatty():
        raise click.UsageError("no text: give TEXT, or lines on standard input")
    try:
        lines = sys.stdin.buffer.read().decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as problem:
        line = problem.object[: problem.start].count(b"\n") + 1
        raise RegardError(f"line {line} of standard input is not UTF-8") from None
    return lines[:-1] if lines[-1] == "" else lines


@contextmanager
def progress(count: int) -> Iterator[Callable[[int], None] | None]:
    """A bar on a terminal where there are many texts; nothing where nobody looks."""
    if count < MANY or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("texts", total=count)
        yield lambda done: bar.advance(task, done)
