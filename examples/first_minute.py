"""The first minute, with the models that come with the install: `make demo`.

Every line that begins with $ is a command as it is typed; below it stands what it prints.
"""

import sys

import click

from regard.cli.main import COMMANDS, regard
from regard.errors import RegardError
from regard.tasks.find import builtin

SENTENCES = (
    "Where is the station?",
    "I have never seen such a beautiful garden!",
    "Tom gave his sister three red roses.",
)
STEPS = (
    ("en-de", ("translate", *SENTENCES)),
    ("en-de", ("translate", "--show", "The old man is reading a book.")),
    ("shakespeare", ("generate", "--seed", "2", "ROMEO:")),
)
VIEWER = ("see", SENTENCES[0])


def typed(arguments: tuple[str, ...]) -> str:
    """A command as one would type it."""
    return " ".join(["regard", *(f'"{word}"' if set(word) & set(" :?!") else word for word in arguments)])


def main() -> None:
    models = builtin()
    if missing := sorted({name for name, _ in STEPS} - models.keys()):
        click.echo(f"Left out, because it does not come with this version: {', '.join(missing)}\n")
    for arguments in (arguments for name, arguments in STEPS if name in models):
        click.secho(f"$ {typed(arguments)}", bold=True)
        regard.main(list(arguments), prog_name="regard", standalone_mode=False)
        click.echo()
    if VIEWER[0] in COMMANDS:
        click.echo(f"To look inside, in the browser: {typed(VIEWER)}")
    click.echo("What else there is: regard models, regard --help")


if __name__ == "__main__":
    try:
        main()
    except RegardError as problem:
        sys.exit(f"regard: {problem}")
