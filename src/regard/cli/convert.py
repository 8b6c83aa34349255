"""`regard convert`: a checkpoint becomes a folder that loads without running code, or one for another program."""

import json
from pathlib import Path

import click

from regard.cli.values import NamedPath

FORMATS = ["marian", "ctranslate2", "onnx"]


@click.command(context_settings={"show_default": True})
@click.argument("source", metavar="IN")
@click.argument("target", metavar="[OUT]", required=False, type=NamedPath(path_type=Path))
@click.option("--to", type=click.Choice(FORMATS), help="Write a translator for transformers, CTranslate2 or ONNX.")
@click.option("--allow-pickle", is_flag=True, help="Open pytorch_model.bin: in a process of its own, tensors only.")
@click.option("--json", "as_json", is_flag=True, help="Print where the folder is as JSON.")
def convert(source: str, target: Path | None, to: str | None, allow_pickle: bool, as_json: bool) -> None:
    """Write the checkpoint in the folder IN as safetensors, with SHA-256 sums, to a new folder OUT.

    Every tensor is checked against the config; tokeniser and model card go along. With --to, IN may be a name as well,
    and OUT is IN-FORMAT unless it is given.

    \b
    regard convert old-model new-model --allow-pickle
    regard convert en-de --to ctranslate2
    """
    if to is None:
        if target is None:
            raise click.UsageError("OUT, a new folder, or --to FORMAT expected")
        from regard.checkpoints import convert as converted

        folder = converted(source, target, allow_pickle=allow_pickle)
    else:
        if allow_pickle:
            raise click.UsageError("--allow-pickle goes without --to: convert a pickle first")
        from regard.checkpoints.export import export
        from regard.tasks.find import find

        folder = export(find(source), target or Path(f"{Path(source).name}-{to}"), to)
    click.echo(json.dumps({"folder": str(folder)}) if as_json else f"wrote {folder}")
