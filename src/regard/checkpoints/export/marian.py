"""Hugging Face: a MarianMTModel in float32, as transformers and whoever reads its folders load it."""

from pathlib import Path

from regard.checkpoints.export.leaving import ALONG, ExportSource
from regard.checkpoints.files import CheckpointError, checked
from regard.checkpoints.save import save_model

ARCHITECTURE = "MarianMTModel"


def write(leaving: ExportSource, folder: Path) -> None:
    found = leaving.checkpoint
    if found.architecture != ARCHITECTURE:
        raise CheckpointError(f"{found.folder}: {found.architecture} is no {ARCHITECTURE}")
    if not (found.folder / "tokenizer.json").is_file():
        raise CheckpointError(f"{found.folder}: no tokenizer.json, which others could read")
    files = [checked(found.folder / name) for name in ALONG if (found.folder / name).is_file()]
    save_model(found.model, folder, found.config, ARCHITECTURE, files=files, spare=found.spare)
