"""A model becomes a folder that others can load."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from regard.checkpoints.files import CONFIG, WEIGHTS, write_manifest
from regard.checkpoints.hub import family_of
from regard.checkpoints.rows import written
from regard.models import Model


def save_model(
    model: Model,
    folder: str | Path,
    config: dict[str, Any],
    architecture: str,
    *,
    files: Iterable[Path] = (),
) -> Path:
    """Write a folder in the Hugging Face layout, whole or not at all.

    `config` is what the family needs to be told besides the model's own numbers: its model_type, token ids. `files`
    are copied along: tokeniser, model card.
    """
    folder = Path(folder)
    family = family_of(config, str(folder))
    described = {**config, **family.write(model.config, architecture), "architectures": [architecture]}
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for file in files:
            shutil.copyfile(file, beside / file.name)
        save_file(written(model, family.names(model.config, architecture)), beside / WEIGHTS, metadata={"format": "pt"})
        (beside / CONFIG).write_text(json.dumps(described, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        write_manifest(beside)
        replace_folder(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def replace_folder(new: Path, folder: Path) -> None:
    """Put a finished folder in the place of another."""
    os.chmod(new, 0o755)
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        os.rename(folder, old / "old")
        os.rename(new, folder)
        shutil.rmtree(old)
    else:
        os.rename(new, folder)
