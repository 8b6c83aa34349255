"""Recurrent translators, in a layout of our own: no other library has a name for them."""

from dataclasses import asdict, fields
from typing import Any

import torch

from regard.checkpoints.files import CheckpointError
from regard.checkpoints.hub.family import Family
from regard.checkpoints.options import Options
from regard.checkpoints.tensor_names import TensorNames, tensor_name
from regard.config import AlignConfig, AlignerConfig, OutputConfig, RecurrentConfig
from regard.models import build

ARCHITECTURES = ("Aligner",)
PARTS = {"reads": RecurrentConfig, "writes": RecurrentConfig, "align": AlignConfig, "output": OutputConfig}
DEEPEST = 1024  # layers; a config that asks for more would take for ever to build


def read(options: Options, architecture: str) -> AlignerConfig:
    values = {field.name: options.get(field.name) for field in fields(AlignerConfig) if field.name in options.config}
    for name, part in PARTS.items():
        if isinstance(values.get(name), dict):
            values[name] = part(**values[name])
    config = AlignerConfig(**values)
    for side in (config.reads, config.writes):
        if not 1 <= side.layers <= DEEPEST:
            raise CheckpointError(f"{options.where}: {side.layers} layers, from 1 to {DEEPEST} expected")
    return config


def write(config: AlignerConfig, architecture: str) -> dict[str, Any]:
    return {"model_type": "regard-alignment", **asdict(config)}


def names(config: AlignerConfig, architecture: str) -> TensorNames:
    """The names of the model itself; a tensor that has two is there once."""
    with torch.device("meta"):
        return TensorNames.of(tensor_name(name, name) for name, _ in build(config).named_parameters())


FAMILY = Family(("regard-alignment",), ARCHITECTURES, read, write, names)
