"""Files of a format that is no lines of text, translated whole."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from regard.cli.generation import Options, sampling_options
from regard.cli.texts import ChunkProgress, TextChunk, progress
from regard.errors import RegardError
from regard.text.formats import FileFormat, FormatError

if TYPE_CHECKING:
    from regard.text.spans import Protection

LARGEST = 256 << 20
LINES_ONLY = {"resume": "--resume", "prefix": "--prefix", "markup": "--markup"}


def refuse_with_document(options: Options, *, as_json: bool, align: bool, confidence: bool, show: bool) -> None:
    """What is said of lines makes no sense for a document."""
    flags = {"--json": as_json, "--align": align, "--confidence": confidence, "--show": show}
    flags |= {"--num-hypotheses": options["num_hypotheses"] > 1}
    flags |= {name: bool(options[key]) for key, name in LINES_ONLY.items()} | {"--processes": options["processes"] > 1}
    refused = [name for name, is_used in flags.items() if is_used]
    if refused:
        raise click.UsageError(f"a document is translated whole, without {', '.join(refused)}; --format text: as lines")
    if options["texts"] or not options["source"]:
        raise click.UsageError("--format is of the file that --input names")


def translate_file(kind: FileFormat, languages: list[str], protect: "bool | Protection", options: Options) -> None:
    """The document of --input in another language."""
    _, source, target, edits = (options.pop(name) for name in ("texts", "source", "target", "edits"))
    for name in (*LINES_ONLY, "processes", "num_hypotheses"):
        options.pop(name)
    if target and os.path.exists(target) and os.path.samefile(source, target):
        raise click.UsageError("--input and --output are the same file")
    data = read_input(source)
    name, device = options.pop("model"), options.pop("device")
    from regard.files import write_file
    from regard.tasks import load

    target_language = languages[1] or (name.rpartition("-")[2] if "-" in name and "/" not in name else "")
    try:
        document = kind.open(data, source_language=languages[0], target_language=target_language)
    except FormatError as problem:
        raise RegardError(f"{source}: {problem}") from None
    task: Any = load(name, device=device, task="translate")
    parts = document.segments
    with edited(task, edits), progress(len(parts), bool(target)) as bar:
        report = ChunkProgress(bar).over(TextChunk([part.text for part in parts], 1, len(parts)))
        result = task.translate_document(document, progress=report, **sampling_options(options))
    content = result.content.encode() if isinstance(result.content, str) else result.content
    if target:
        write_file(Path(target), content)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    for answer in result.answers:
        for warning in answer.warnings:
            click.echo(f"warning: {source}: {' '.join(answer.source.split())[:60]!r}: {warning}", err=True)


def edited(task: Any, edits: str | None) -> AbstractContextManager[object]:
    """The model under edits, if there are some: they are torch's."""
    if not edits:
        return nullcontext()
    from regard.looking import edit

    return edit(task.model, edits)


def read_input(file: str) -> bytes:
    """All of a file."""
    try:
        if os.path.getsize(file) > LARGEST:
            raise RegardError(f"{file}: a document of at most {LARGEST >> 20} MiB expected")
        return Path(file).read_bytes()
    except OSError as problem:
        raise RegardError(f"{file}: cannot be read: {problem.strerror or problem}") from None
