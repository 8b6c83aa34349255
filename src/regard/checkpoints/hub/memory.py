"""Memory networks, in a layout of our own: no other library has a name for them."""

from dataclasses import asdict, fields
from typing import Any

import torch

from regard.checkpoints.files import CheckpointError
from regard.checkpoints.hub.family import Family
from regard.checkpoints.options import Options
from regard.checkpoints.tensor_names import TensorNames, tensor_name
from regard.config import MemoryNetworkConfig
from regard.models import MemoryNetwork

MOST = 1024  # hops; a config that asks for more would take for ever to build


def read(options: Options, architecture: str) -> MemoryNetworkConfig:
    values = {
        field.name: options.get(field.name) for field in fields(MemoryNetworkConfig) if field.name in options.config
    }
    config = MemoryNetworkConfig(**values)
    if not 1 <= config.hops <= MOST:
        raise CheckpointError(f"{options.where}: {config.hops} hops, from 1 to {MOST} expected")
    return config


def write(config: MemoryNetworkConfig, architecture: str) -> dict[str, Any]:
    return {"model_type": "regard-memory", **asdict(config)}


def names(config: MemoryNetworkConfig, architecture: str) -> TensorNames:
    """The names of the model itself."""
    with torch.device("meta"):
        return TensorNames.of(tensor_name(name, name) for name, _ in MemoryNetwork(config).named_parameters())


FAMILY = Family(("regard-memory",), ("MemoryNetwork",), read, write, names)
