"""A model becomes a folder that others can load."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from regard.checkpoints.files import CONFIG, WEIGHTS, CheckpointError, list_names, write_manifest
from regard.checkpoints.tensors import file_tensors
from regard.config.pruning import pruned_heads
from regard.families import family_of
from regard.families.old_names import current_config
from regard.families.options import Options
from regard.families.pruned import without_pruned_heads
from regard.models import Model, PositionConfig, StackConfig
from regard.positions import POSITIONS


def save_model(
    model: Model,
    folder: str | Path,
    config: dict[str, Any],
    architecture: str,
    *,
    files: Iterable[Path] = (),
    spare: Mapping[str, Tensor] | None = None,
    dtypes: Mapping[str, torch.dtype] | None = None,
) -> Path:
    """Write a folder in the Hugging Face layout, whole or not at all.

    `config` is what the family needs to be told besides the model's own numbers: its model_type, token ids. `files`
    are copied along: tokeniser, model card. `spare` tensors are written as they are, for those who look for them.
    `dtypes` are what weights are stored in, by name, as `Checkpoint.dtypes` has them; else as the model has them.
    """
    folder = Path(folder)
    if folder.exists() and not (folder / CONFIG).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise CheckpointError(f"{folder}: already there, and no checkpoint that could be replaced")
    config = current_config(config)
    family = family_of(config, str(folder))
    try:
        pruned = pruned_heads(model.config)
        entries = {key: value for key, value in config.items() if key != "pruned"} | (
            {"pruned": pruned} if pruned else {}
        )
        described = merge(entries, {**family.write(model.config, architecture), "architectures": [architecture]})
        weights = file_tensors(model, family.names(model.config, architecture))
        tensors = {**(spare or {}), **cast_tensors(dtypes or {}, weights)}
        options = Options(described, str(folder), tensors)
        understood = without_pruned_heads(family.read(options, architecture), options)
    except (KeyError, AttributeError) as problem:
        raise CheckpointError(f"{folder}: this model is no {architecture}: it lacks {problem}") from None
    if differing := differences(model.config, understood):
        raise CheckpointError(f"{folder}: {architecture} has no words for {list_names(differing)} of this model")
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for file in files:
            shutil.copyfile(file, beside / file.name)
        save_file(tensors, beside / WEIGHTS, metadata={"format": "pt"})
        (beside / CONFIG).write_text(json.dumps(described, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        write_manifest(beside)
        replace_folder(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder


def cast_tensors(dtypes: Mapping[str, torch.dtype], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors in the dtype that each name has; one without has that of all the others, if they share one."""
    shared = set(dtypes.values())
    usual = shared.pop() if len(shared) == 1 else None
    return {name: tensor.to(dtypes.get(name, usual or tensor.dtype)) for name, tensor in tensors.items()}


def differences(config: Any, read: Any, path: str = "") -> list[str]:
    """Where a config differs from what others would understand. Dropout does not count: not every family tells."""
    config, read = with_defaults(config), with_defaults(read)
    if not is_dataclass(config) or type(config) is not type(read):
        return [] if config == read or "dropout" in path else [f"{path.lstrip('.')} = {config!r}"]
    parts = ((field.name, getattr(config, field.name), getattr(read, field.name)) for field in fields(config))
    return [
        difference
        for name, value, read_value in parts
        for difference in differences(value, read_value, f"{path}.{name}")
    ]


def with_defaults(config: Any) -> Any:
    """The same config with what follows from the rest written out."""
    if isinstance(config, StackConfig):
        attention = config.attention
        head_width = config.width // attention.heads if attention.head_width is None else attention.head_width
        groups = attention.heads if attention.kv_heads is None else attention.kv_heads
        output_bias = attention.bias if attention.output_bias is None else attention.output_bias
        attention = replace(attention, head_width=head_width, kv_heads=groups, output_bias=output_bias)
        return replace(config, attention=attention)
    if isinstance(config, PositionConfig):
        arguments = signature(POSITIONS[config.kind]).bind(**config.settings)
        arguments.apply_defaults()
        return replace(config, settings=arguments.arguments)
    return config


def merge(config: Mapping[str, Any], news: Mapping[str, Any]) -> dict[str, Any]:
    """A config with news in it, those about its parts in the parts."""
    both = {key for key in config.keys() & news.keys() if isinstance(config[key], dict) and isinstance(news[key], dict)}
    return {**config, **news, **{key: merge(config[key], news[key]) for key in both}}


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
