"""`regard translate --ray IN… --out DIR`: files of any size, one after the other, by all machines of a cluster."""

from pathlib import Path
from typing import Any

import click

from regard.cli.generation import Shown, answer_all
from regard.cli.ray_chunks import RayPool
from regard.errors import RegardError


def translate_files(folder: str, options: dict[str, Any], shown: Shown, *, is_numbered: bool) -> None:
    """A file in the folder for each of the texts, which are names of files; what is there already is written on."""
    files = [Path(text) for text in options["texts"]]
    check_files(files, folder, options)
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise RegardError(f"{folder}: cannot be made: {problem.strerror or problem}") from None
    is_said = click.get_current_context().get_parameter_source("processes") is click.core.ParameterSource.COMMANDLINE
    pool = RayPool(options["processes"] if is_said else None)
    for file in files:
        places = {"texts": (), "source": str(file), "target": str(target / file.name), "resume": True}
        answer_all("translate", {**options, **places}, shown, is_numbered=is_numbered, answer_chunks=pool)


def check_files(files: list[Path], folder: str, options: dict[str, Any]) -> None:
    """Refuse what cannot be meant, before anything is begun."""
    from regard.text.formats import format_of

    if not files:
        raise click.UsageError("--ray needs files of lines: regard translate --ray IN… --out DIR")
    for option in ("source", "target", "markup", "edits"):
        if options[option]:
            name = {"source": "input", "target": "output", "edits": "edit"}.get(option, option)
            raise click.UsageError(f"--ray goes without --{name}")
    names: dict[str, Path] = {}
    for file in files:
        if not file.is_file():
            raise RegardError(f"{file}: no such file")
        if format_of(str(file)) is not None:
            raise RegardError(f"{file}: --ray is for files of lines; translate this one with --input")
        if (other := names.setdefault(file.name, file)) is not file:
            raise RegardError(f"{other} and {file} would both be {Path(folder) / file.name}")
        if file.resolve().parent == Path(folder).resolve():
            raise RegardError(f"{file} is in {folder}, where its translation would be")
