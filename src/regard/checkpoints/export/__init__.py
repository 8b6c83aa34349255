"""Translators leave for other programs: one file per format."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from regard.checkpoints.export import ctranslate2, marian, onnx
from regard.checkpoints.export.export_source import COPIED_FILES, ExportSource
from regard.checkpoints.files import CheckpointError, checked_file
from regard.checkpoints.load import load_model
from regard.errors import lookup
from regard.files import write_folder
from regard.text import load_tokenizer

__all__ = ["FORMATS", "Format", "export"]


@dataclass(frozen=True)
class Format:
    """How a model is written into an empty folder, and what has to be installed to do so: an extra of that name."""

    write: Callable[[ExportSource, Path], None]
    needs: tuple[str, ...] = ()


FORMATS: dict[str, Format] = {
    "marian": Format(marian.write),
    "ctranslate2": Format(ctranslate2.write, ("ctranslate2",)),
    "onnx": Format(onnx.write, ("onnx",)),
}
"""Where a translator can go."""


def export(folder: str | Path, target: str | Path, to: str) -> Path:
    """Write the translator in a folder in the format of another program, to a new folder; whole or not at all.

    The tokeniser goes along as tokenizer.json, with the model card and the way in which the model wants to write.
    """
    form, folder, target = lookup(FORMATS, to, "format"), Path(folder), Path(target)
    if target.exists():
        raise CheckpointError(f"{target}: already there; a new folder is written, none is replaced")
    if missing := [name for name in form.needs if find_spec(name) is None]:
        raise CheckpointError(f"{to}: {', '.join(missing)} is not installed: pip install 'regard[{to}]'")
    source = ExportSource(load_model(folder), load_tokenizer(folder))

    def fill(beside: Path) -> None:
        form.write(source, beside)
        for name in COPIED_FILES:
            if (folder / name).is_file() and not (beside / name).exists():
                shutil.copyfile(checked_file(folder / name), beside / name)

    return write_folder(target, fill)
