"""An aligner that begins with what two translators know: python recipes/aligner.py --help.

python recipes/aligner.py en-de de-en runs/aligner-start
regard train recipes/aligner.toml
"""

from pathlib import Path

import click

import regard
from regard.tasks.aligner_learning import save_start


@click.command()
@click.argument("there")
@click.argument("back")
@click.argument("folder", type=click.Path(path_type=Path))
def main(there: str, back: str, folder: Path) -> None:
    """Write an aligner to FOLDER that reads as the translators THERE and BACK do."""
    save_start(regard.load(there, task="translate"), regard.load(back, task="translate"), folder)
    click.echo(folder)


if __name__ == "__main__":
    main()
