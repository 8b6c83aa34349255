"""A model together with what it is to learn, as one module: what is compiled, copied to other processes or sharded."""

from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import lookup
from regard.models import Model
from regard.training.objectives.objective import Loss, Objective

PRECISIONS = {"float32": None, "bfloat16": torch.bfloat16}


class Learner(nn.Module):
    """Called with a batch, it says how wrong the model is about it."""

    def __init__(self, model: Model, objective: Objective, *, smoothing: float = 0.0, precision: str = "float32"):
        super().__init__()
        self.model = model
        self.objective, self.smoothing = objective, smoothing
        self.kind = lookup(PRECISIONS, precision, "precision")

    def forward(self, batch: Any) -> tuple[Tensor, Tensor]:
        """The loss to learn from, and the plain one, both summed over the batch."""
        loss = self.loss(batch, self.smoothing)
        return loss.total, loss.plain

    def of(self, model: Model) -> "Learner":
        """The same for another model."""
        if model is self.model:
            return self
        other = Learner(model, self.objective, smoothing=self.smoothing)
        other.kind = self.kind
        return other.eval()

    def loss(self, batch: Any, smoothing: float = 0.0) -> Loss:
        device = next(self.model.parameters()).device.type
        with torch.autocast(device, self.kind, enabled=self.kind is not None):
            return self.objective.loss(self.model, batch, smoothing)


def freeze(model: nn.Module, beginnings: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Keep weights as they are whose place begins so: "encoder", "encoder.0", "encoder.words"; the names of both kinds.

    Layers are named as everywhere: encoder.0 is the first block of the encoder.
    """
    kept: list[str] = []
    learning: list[str] = []
    for name, weight in model.named_parameters():
        place = name.replace(".stack.blocks.", ".")
        is_kept = any(place == start or place.startswith(f"{start}.") for start in beginnings)
        if is_kept:
            weight.requires_grad_(False)
        (kept if is_kept else learning).append(name)
    return kept, learning
