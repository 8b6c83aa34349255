"""A folder becomes a model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from regard.checkpoints.files import CONFIG, CheckpointError, check_manifest, read_json, read_tensors
from regard.checkpoints.hub import architecture_of, build, family_of
from regard.checkpoints.options import Options
from regard.checkpoints.rows import read_into
from regard.models import Model


@dataclass(frozen=True)
class Checkpoint:
    """A model and the config that it came with, as the folder has it."""

    model: Model
    config: dict[str, Any]
    architecture: str
    folder: Path


def load_model(folder: str | Path, *, device: str = "cpu", dtype: torch.dtype = torch.float32) -> Checkpoint:
    """Load a folder in the Hugging Face layout: config.json and safetensors. No code is run."""
    folder = Path(folder)
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder")
    check_manifest(folder)
    config = read_json(folder / CONFIG)
    where = str(folder / CONFIG)
    family = family_of(config, where)
    architecture = architecture_of(config, family)
    if architecture not in family.architectures:
        known = ", ".join(family.architectures)
        raise CheckpointError(f"{where}: architecture {architecture!r} is not supported, only {known}")
    options = Options(config, where)
    try:
        ours = family.read(options, architecture)
    except (TypeError, AttributeError) as problem:  # a number where a word should be, and the like
        raise CheckpointError(f"{where}: a value of the wrong kind ({problem})") from None
    options.done()
    with torch.device("meta"):
        model = build(ours)
    tensors = read_tensors(folder)
    read_into(model, family.names(ours, architecture), tensors, str(folder))
    restore_buffers(model, ours)
    return Checkpoint(model.to(device=device, dtype=dtype).eval(), config, architecture, folder)


def restore_buffers(model: Model, config: Any) -> None:
    """Tables that are computed, not learned, are not in any file: make them anew."""
    if not any(buffer.is_meta for buffer in model.buffers()):
        return
    for path, module in model.named_modules():
        for name, buffer in list(module.named_buffers(recurse=False)):
            if buffer.is_meta:
                side = getattr(config, path.split(".")[0])
                fresh = dict(side.position.build().named_buffers())
                module.register_buffer(name, fresh[name], persistent=False)
