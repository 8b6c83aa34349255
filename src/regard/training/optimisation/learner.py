"""A model together with what it is to learn, as one module: what is compiled, copied to other processes or sharded."""

from collections.abc import Callable
from functools import cache
from typing import cast

import torch
from torch import Tensor, nn

from regard.engine.tiles import tile_multiply
from regard.errors import lookup
from regard.layers.linear import Multiply, products_by
from regard.models import Model
from regard.training.objectives.objective import ContinuedBatch, ExampleBatch, LossSums, Objective, SegmentMemory

LearnerLosses = tuple[Tensor, Tensor, SegmentMemory | None]
"""What a Learner says of a batch."""

PRECISIONS: dict[str, Callable[[str], bool]] = {
    "float32": lambda device: False,
    "bfloat16": lambda device: True,
    "auto": lambda device: multiplies_bfloat16(device),
}
"""Whether products are taken in bfloat16 on a device. Weights, sums and scores of a valid set stay in float32.

A processor with matrix tiles takes them with the engine, which rounds the factors alone; elsewhere autocast does.
"""


def multiplies_bfloat16(device: str) -> bool:
    """Whether the machine has instructions for it that are worth it; without them it is slower than float32.

    Intel's processors with tiles have vectors of bfloat16, too, but those are half as fast as their float32.
    """
    if device == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    able = torch.cpu.get_capabilities() if device == "cpu" else {}
    if able.get("amx_bf16"):
        return tile_multiply() is not None
    return any(able.get(name) for name in ("avx512_bf16", "bf16"))


@cache
def tiles_for(device: str) -> Multiply | None:
    """What multiplies in bfloat16 on a device, if it is not autocast."""
    return tile_multiply() if device == "cpu" else None


class Learner(nn.Module):
    """Called with a batch, it says how wrong the model is about it."""

    def __init__(self, model: Model, objective: Objective, *, smoothing: float = 0.0, precision: str = "float32"):
        super().__init__()
        self.model = model
        self.objective = objective
        self.smoothing = smoothing
        self.precision = precision
        self.uses_bfloat16: Callable[[str], bool] = lookup(PRECISIONS, precision, "precision")

    def forward(self, batch: ExampleBatch, memory: SegmentMemory | None = None) -> LearnerLosses:
        """The loss to learn from and the plain one, both summed over the batch, and what to take to the next batch."""
        loss = self.loss(batch, self.smoothing, memory)
        return loss.total, loss.cross_entropy, loss.memory

    def with_model(self, model: Model) -> "Learner":
        """The same for another model."""
        if model is self.model:
            return self
        return Learner(model, self.objective, smoothing=self.smoothing, precision=self.precision).eval()

    def loss(self, batch: ExampleBatch, smoothing: float = 0.0, memory: SegmentMemory | None = None) -> LossSums:
        batch = batch if memory is None else cast(ContinuedBatch, batch).with_memory(memory)
        device = next(self.model.parameters()).device.type
        is_coarse = self.training and self.uses_bfloat16(device)
        tiles = tiles_for(device) if is_coarse else None
        with torch.autocast(device, torch.bfloat16, enabled=is_coarse and tiles is None), products_by(tiles):
            return self.objective.loss(self.model, batch, smoothing)


def freeze(model: nn.Module, prefixes: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Keep weights as they are whose name begins so: "encoder", "encoder.0", "encoder.embedding"; the names of both.

    Layers are named as everywhere: encoder.0 is the first block of the encoder.
    """
    frozen: list[str] = []
    learning: list[str] = []
    for name, weight in model.named_parameters():
        layer_name = name.replace(".stack.blocks.", ".")
        is_frozen = any(layer_name == start or layer_name.startswith(f"{start}.") for start in prefixes)
        if is_frozen:
            weight.requires_grad_(False)
        (frozen if is_frozen else learning).append(name)
    return frozen, learning
