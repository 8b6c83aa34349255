"""Models that look at pictures, in a layout of our own."""

from dataclasses import asdict, fields
from typing import Any

import torch

from regard.checkpoints.files import CheckpointError
from regard.checkpoints.hub.family import Family
from regard.checkpoints.options import Options
from regard.checkpoints.tensor_names import TensorNames, tensor_name
from regard.config import GlimpseConfig, VisionConfig
from regard.models import GlimpseNetwork, VisionTransformer

MOST = 4096  # pixels a side, layers, glimpses: a config that asks for more would take for ever to build
CONFIGS = {"VisionTransformer": VisionConfig, "GlimpseNetwork": GlimpseConfig}
COUNTS = ("size", "patch", "layers", "glimpses")


def read(options: Options, architecture: str) -> VisionConfig | GlimpseConfig:
    kind = CONFIGS[architecture]
    config = kind(**{key: options.get(key) for key in (field.name for field in fields(kind)) if key in options.config})
    for key in COUNTS:
        if not 1 <= getattr(config, key, 1) <= MOST:
            raise CheckpointError(f"{options.where}: {key} = {getattr(config, key)}, from 1 to {MOST} expected")
    return config


def write(config: VisionConfig | GlimpseConfig, architecture: str) -> dict[str, Any]:
    entries = {key: value for key, value in asdict(config).items() if key != "pruned"}  # said of every family alike
    return {"model_type": "regard-vision", **entries}


def names(config: VisionConfig | GlimpseConfig, architecture: str) -> TensorNames:
    """The names of the model itself."""
    with torch.device("meta"):
        model = VisionTransformer(config) if isinstance(config, VisionConfig) else GlimpseNetwork(config)
    return TensorNames.of(tensor_name(name, name) for name, _ in model.named_parameters())


FAMILY = Family(("regard-vision",), tuple(CONFIGS), read, write, names)
