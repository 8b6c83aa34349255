"""Hugging Face: a MarianMTModel in float32, as transformers and whoever reads its folders load it."""

from pathlib import Path

from regard.checkpoints.export.export_source import COPIED_FILES, ExportSource
from regard.checkpoints.files import CheckpointError, checked_file
from regard.checkpoints.save import save_model

ARCHITECTURE = "MarianMTModel"


def write(source: ExportSource, folder: Path) -> None:
    checkpoint = source.checkpoint
    if checkpoint.architecture != ARCHITECTURE:
        raise CheckpointError(f"{checkpoint.folder}: {checkpoint.architecture} is no {ARCHITECTURE}")
    if not (checkpoint.folder / "tokenizer.json").is_file():
        raise CheckpointError(f"{checkpoint.folder}: no tokenizer.json, which others could read")
    files = [checked_file(checkpoint.folder / name) for name in COPIED_FILES if (checkpoint.folder / name).is_file()]
    save_model(checkpoint.model, folder, checkpoint.config, ARCHITECTURE, files=files, spare=checkpoint.spare)
