"""The command `regard`: a table of commands, each loaded when it is named."""

import sys
from importlib import import_module

import click

from regard import __version__
from regard.errors import RegardError

COMMANDS = {
    "classify": "regard.cli.classify:classify",
    "convert": "regard.cli.convert:convert",
    "embed": "regard.cli.embed:embed",
    "fill": "regard.cli.fill:fill",
    "generate": "regard.cli.generate:generate",
    "mask": "regard.cli.mask:mask",
    "models": "regard.cli.models:models",
}


class Commands(click.Group):
    """A group that reads COMMANDS, so that one command never waits for what another imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].split(":")
        return getattr(import_module(module), attribute)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="regard", message="%(prog)s %(version)s")
def regard() -> None:
    """Attention you can see: train, run and look inside attention models."""


def main() -> None:
    """Run the command line; what the user can put right is one line on stderr.

    click itself answers wrong usage (exit code 2), Ctrl-C and a closed pipe.
    """
    try:
        regard(prog_name="regard")
    except RegardError as error:
        click.echo(f"regard: {error}", err=True)
        sys.exit(1)
