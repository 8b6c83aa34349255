"""What a model takes along from batch to batch, as a part of what a checkpoint remembers.

It was made with weights that are gone by now, so that it cannot be made again: it is saved, and a run that goes on
reads its next batch after the same memory, bit for bit.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from regard.training.objectives.objective import SegmentMemory

PREFIX = "carried:"


def pack(memory: SegmentMemory | None) -> dict[str, Tensor]:
    """Under names that no weight has."""
    return {f"{PREFIX}{name}": tensor for name, tensor in (memory or {}).items()}


def unpack(saved: Mapping[str, Tensor], device: torch.device) -> SegmentMemory | None:
    """The same from all that was saved; None where nothing is carried."""
    states = {name.removeprefix(PREFIX): tensor for name, tensor in saved.items() if name.startswith(PREFIX)}
    return {name: tensor.to(device) for name, tensor in states.items()} or None
