"""What a file of answers was begun with: kept beside it until it is whole, so that it is written on in the same way."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from regard.errors import RegardError
from regard.files import write_file

ELSEWHERE = {"texts", "source", "target", "folder", "is_ray", "resume", "processes", "device", "format_name", "show"}
"""Parameters that change no line."""
READ = {"glossary", "edits"}
"""Files whose contents count."""
Options = Mapping[str, object]
"""Each option and what it was."""


def begun_path(file: str) -> Path:
    """Where it is kept: book.de has .book.de.begun."""
    path = Path(file)
    return path.with_name(f".{path.name}.begun")


def current_options() -> Options:
    """What the command that runs was asked for, by its options, as JSON can hold it."""
    context = click.get_current_context(silent=True)
    if context is None:
        return {}
    values = {
        max(parameter.opts, key=len): value_of(parameter.name, context.params[parameter.name])
        for parameter in context.command.params
        if parameter.name in context.params and parameter.name not in ELSEWHERE
    }
    return json.loads(json.dumps(values))


def value_of(name: str | None, value: object) -> object:
    if name in READ and isinstance(value, str):
        with suppress(OSError):  # whoever reads it says what is wrong with it
            return f"{value} ({hashlib.sha256(Path(value).read_bytes()).hexdigest()[:16]})"
    return value


@contextmanager
def begun(file: str | None, options: Options, *, resume: bool) -> Iterator[None]:
    """Keeps the options beside a file while this block runs, and after it if it fails. With `resume`, others than the
    file was begun with are refused."""
    if file is None or (Path(file).exists() and not Path(file).is_file()):  # a pipe, /dev/null
        yield
        return
    path = begun_path(file)
    if resume:
        for name, before in read_options(path).items():
            if name in options and options[name] != before:
                raise RegardError(
                    f"{file}: begun with {name} {shown(before)}, now {shown(options[name])}: "
                    "say the same, or begin anew without --resume"
                )
    with suppress(RegardError):  # where no file can be put beside it, it is written all the same
        write_file(path, json.dumps(dict(options), indent=1) + "\n", is_lasting=False)
    yield
    path.unlink(missing_ok=True)


def read_options(path: Path) -> Options:
    try:
        options = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # a file that is whole has none
        return {}
    return options if isinstance(options, dict) else {}


def shown(value: object) -> str:
    return "as the model says" if value is None else str(value)
