"""A folder becomes a model."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from regard.checkpoints.files import CONFIG, CheckpointError, check_manifest, first_line, read_json, read_tensors
from regard.checkpoints.tensors import read_into
from regard.config import Config
from regard.errors import RegardError
from regard.families import Family, architecture_of, family_of
from regard.families.old_names import current_config, current_tensors, is_own
from regard.families.options import Options
from regard.families.read_config import read_model_config
from regard.models import Model, build
from regard.models.parts import build_position


@dataclass(frozen=True)
class Checkpoint:
    """A model and the config that it came with, as the folder has it.

    `spare` are tensors that the model has no use for, kept for those who will load it when it is saved again; `dtypes`
    are what the weights are stored in, by name, whatever the model computes in.
    """

    model: Model
    config: dict[str, object]
    architecture: str
    folder: Path
    spare: dict[str, Tensor] = field(default_factory=dict)
    dtypes: dict[str, torch.dtype] = field(default_factory=dict)


def load_model(folder: str | Path, *, device: str = "cpu", dtype: torch.dtype = torch.float32) -> Checkpoint:
    """Load a folder in the Hugging Face layout: config.json and safetensors. No code is run."""
    folder = Path(folder)
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder")
    check_manifest(folder)
    described = read_json(folder / CONFIG)
    config = current_config(described)
    where = str(folder / CONFIG)
    family = family_of(config, where)
    architecture = architecture_of(config, family, where)
    tensors = read_tensors(folder)
    if is_own(described):
        tensors = current_tensors(tensors)
    options = Options(config, where, tensors)
    try:
        model_config, model = read_config(family, options, architecture)
    except CheckpointError:
        raise
    except RegardError as problem:  # numbers that are fine each by itself, and do not go together
        raise CheckpointError(f"{where}: no model can be made of it ({first_line(problem)})") from None
    names = family.names(model_config, architecture)
    read_into(model, names, tensors, str(folder))
    restore_buffers(model, model_config)
    spare = {name: tensors[name] for name in tensors.keys() & names.spare - names.echoes.keys()}
    dtypes = {
        name: tensor.dtype for name, tensor in names.with_current_names(tensors).items() if tensor.is_floating_point()
    }
    return Checkpoint(model.to(device=device, dtype=dtype).eval(), config, architecture, folder, spare, dtypes)


def read_config(family: Family, options: Options, architecture: str) -> tuple[Config, Model]:
    """A config as ours, and the model that it describes, on the meta device."""
    model_config = read_model_config(family, options, architecture)
    with torch.device("meta"), Uninitialised():
        return model_config, build(model_config)


class Uninitialised(TorchFunctionMode):
    """Weights stay as they come: drawing numbers that nobody sees makes torch load its compiler, for a second."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else (kwargs or {})["tensor"]
        return func(*args, **(kwargs or {}))


def restore_buffers(model: Model, config: Config) -> None:
    """Tables that are computed, not learned, are not in any file: make them anew."""
    if not any(buffer.is_meta for buffer in model.buffers()):
        return
    for path, module in model.named_modules():
        for name, buffer in list(module.named_buffers(recurse=False)):
            if buffer.is_meta:
                side = getattr(config, path.split(".")[0])
                fresh = dict(build_position(side.position).named_buffers())
                module.register_buffer(name, fresh[name], persistent=False)
