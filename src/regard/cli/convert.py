"""`regard convert`: a checkpoint becomes a folder that loads without running code."""

import json
from pathlib import Path

import click


@click.command(context_settings={"show_default": True})
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option("--allow-pickle", is_flag=True, help="Open pytorch_model.bin: in a process of its own, tensors only.")
@click.option("--json", "as_json", is_flag=True, help="Print where the folder is as JSON.")
def convert(source: Path, target: Path, allow_pickle: bool, as_json: bool) -> None:
    """Write the checkpoint in the folder IN as safetensors, with SHA-256 sums, to a new folder OUT.

    Every tensor is checked against the config; tokeniser and model card go along.

    \b
    regard convert old-model new-model --allow-pickle
    """
    from regard.checkpoints import convert as converted

    folder = converted(source, target, allow_pickle=allow_pickle)
    click.echo(json.dumps({"folder": str(folder)}) if as_json else f"wrote {folder}")
