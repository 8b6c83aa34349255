"""A model becomes a folder that others can load."""

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from inspect import signature
from pathlib import Path

import torch
from torch import Tensor

from regard.checkpoints.files import CONFIG, WEIGHTS, CheckpointError, list_names, write_with_manifest
from regard.checkpoints.tensors import file_tensors, write_tensors
from regard.config import EmbeddedStackConfig, FeatureStackConfig, PositionConfig, StackConfig
from regard.config.pruning import pruned_heads
from regard.families import family_of, generic
from regard.families.old_names import current_config
from regard.families.options import Options
from regard.families.pruned import without_pruned_heads
from regard.models import Model
from regard.positions import POSITIONS


def save_model(
    model: Model,
    folder: str | Path,
    config: dict[str, object],
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
    content = model_files(model, config, architecture, str(folder), spare=spare, dtypes=dtypes)
    return write_with_manifest(folder, lambda beside: content.write(beside, files))


@dataclass(frozen=True)
class ModelFiles:
    """A model as others read it: what its config.json says, and its tensors by name."""

    config: dict[str, object]
    tensors: dict[str, Tensor]

    def write(self, folder: Path, files: Iterable[Path] = ()) -> None:
        """Put both into a folder, with copies of further files."""
        for file in files:
            shutil.copyfile(file, folder / file.name)
        write_tensors(self.tensors, folder / WEIGHTS)
        text = json.dumps(self.config, indent=2, sort_keys=True) + "\n"
        (folder / CONFIG).write_text(text, encoding="utf-8")


def model_files(
    model: Model,
    config: dict[str, object],
    architecture: str,
    where: str,
    *,
    spare: Mapping[str, Tensor] | None = None,
    dtypes: Mapping[str, torch.dtype] | None = None,
) -> ModelFiles:
    """A model in the words of its family, once they are known to say all of it; errors begin with `where`."""
    config = current_config(config)
    family = family_of(config, where)
    if family.names is not generic.names and (differing := value_widths(model.config)):
        raise CheckpointError(f"{where}: {architecture} has no words for {list_names(differing)} of this model")
    try:
        pruned = pruned_heads(model.config)
        entries = {key: value for key, value in config.items() if key != "pruned"} | (
            {"pruned": pruned} if pruned else {}
        )
        described = merge(entries, {**family.write(model.config, architecture), "architectures": [architecture]})
        weights = file_tensors(model, family.names(model.config, architecture))
        tensors = {**(spare or {}), **cast_tensors(dtypes or {}, weights)}
        options = Options(described, where, tensors)
        understood = without_pruned_heads(family.read(options, architecture), options)
    except (KeyError, AttributeError) as problem:
        raise CheckpointError(f"{where}: this model is no {architecture}: it lacks {problem}") from None
    if differing := differences(model.config, understood):
        raise CheckpointError(f"{where}: {architecture} has no words for {list_names(differing)} of this model")
    return ModelFiles(described, tensors)


def cast_tensors(dtypes: Mapping[str, torch.dtype], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors in the dtype that each name has; one without has that of all the others, if they share one."""
    shared = set(dtypes.values())
    usual = shared.pop() if len(shared) == 1 else None
    return {name: tensor.to(dtypes.get(name, usual or tensor.dtype)) for name, tensor in tensors.items()}


def differences(config: object, read: object, path: str = "") -> list[str]:
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


def value_widths(config: object) -> list[str]:
    """Where values are wider or narrower than keys: no outside family knows of it, and none could name its tensors."""
    sides = {name: getattr(config, name, None) for name in ("encoder", "decoder")}
    return [
        f"{name}.stack.attention.value_width = {split.value_width}"
        for name, side in sides.items()
        if isinstance(side, EmbeddedStackConfig | FeatureStackConfig)
        and (split := side.stack.attention.split(side.stack.width)).value_width != split.width
    ]


def with_defaults(config: object) -> object:
    """The same config with what follows from the rest written out."""
    if isinstance(config, StackConfig):
        attention = config.attention
        head_width = config.width // attention.heads if attention.head_width is None else attention.head_width
        groups = attention.heads if attention.kv_heads is None else attention.kv_heads
        output_bias = attention.bias if attention.output_bias is None else attention.output_bias
        values = head_width if attention.value_width is None else attention.value_width
        attention = replace(
            attention, head_width=head_width, kv_heads=groups, output_bias=output_bias, value_width=values
        )
        return replace(config, attention=attention)
    if isinstance(config, PositionConfig):
        arguments = signature(POSITIONS[config.kind]).bind(**config.settings)
        arguments.apply_defaults()
        return replace(config, settings=arguments.arguments)
    return config


def merge(config: Mapping[str, object], news: Mapping[str, object]) -> dict[str, object]:
    """A config with news in it, those about its parts in the parts."""
    merged = {**config, **news}
    for key, part in config.items():
        if isinstance(part, dict) and isinstance(new := news.get(key), dict):
            merged[key] = merge(part, new)
    return merged
