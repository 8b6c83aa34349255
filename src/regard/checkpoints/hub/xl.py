"""Decoders with a memory, in a layout of our own."""

from dataclasses import asdict
from typing import Any

import torch

from regard.checkpoints.hub.family import Family
from regard.checkpoints.hub.generic import from_json
from regard.checkpoints.options import Options
from regard.checkpoints.tensor_names import TensorNames, tensor_name
from regard.config import XLConfig
from regard.models import build

ARCHITECTURES = ("TransformerXL",)


def read(options: Options, architecture: str) -> XLConfig:
    stack = dict(options.need("stack"))
    if isinstance(stack.get("attention"), dict) and isinstance(score := stack["attention"].get("score"), str):
        stack["attention"] = stack["attention"] | {"score": {"kind": score}}  # as the first version wrote it
    side = {"embedding": options.need("embedding"), "stack": stack}
    return from_json(XLConfig, {"decoder": side, "output": options.need("output")}, options.where)


def write(config: XLConfig, architecture: str) -> dict[str, Any]:
    side = config.decoder
    parts = {"embedding": side.embedding, "stack": side.stack, "output": config.output}
    return {"model_type": "regard-xl", **{name: asdict(part) for name, part in parts.items()}}


def names(config: XLConfig, architecture: str) -> TensorNames:
    """The names of the model itself; a tensor that has two is there once."""
    with torch.device("meta"):
        return TensorNames.of(tensor_name(name, name) for name, _ in build(config).named_parameters())


FAMILY = Family(("regard-xl",), ARCHITECTURES, read, write, names)
