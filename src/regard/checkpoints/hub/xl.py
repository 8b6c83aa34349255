"""Decoders with a memory, in a layout of our own."""

from dataclasses import asdict
from typing import Any

import torch

from regard.checkpoints.hub.family import Family, build
from regard.checkpoints.options import Options
from regard.checkpoints.rows import TensorNames, tensor_name
from regard.models import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    StackConfig,
    XLConfig,
)

ARCHITECTURES = ("XL",)
PARTS = {"attention": AttentionConfig, "inner": FeedForwardConfig, "norm": NormConfig}


def read(options: Options, architecture: str) -> XLConfig:
    stack = dict(options.need("stack"))
    parts = {name: part(**stack.pop(name)) for name, part in PARTS.items()}
    side = EmbeddedStackConfig(EmbeddingConfig(**options.need("words")), StackConfig(**stack, **parts))
    return XLConfig(side, OutputConfig(**options.need("output")))


def write(config: XLConfig, architecture: str) -> dict[str, Any]:
    side = config.decoder
    parts = {"words": side.embedding, "stack": side.stack, "output": config.output}
    return {"model_type": "regard-xl", **{name: asdict(part) for name, part in parts.items()}}


def names(config: XLConfig, architecture: str) -> TensorNames:
    """The names of the model itself; a tensor that has two is there once."""
    with torch.device("meta"):
        return TensorNames.of(tensor_name(name, name) for name, _ in build(config).named_parameters())


FAMILY = Family(("regard-xl",), ARCHITECTURES, read, write, names)
