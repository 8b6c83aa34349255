"""The mean of several checkpoints, better than each of them: Junczys-Dowmunt et al. 2016."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from regard.checkpoints import load_model
from regard.models import Model


def mean_weights(folders: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of the weights of some checkpoints of one model, as a state dict; added up in float64."""
    total: dict[str, Tensor] = {}
    kinds: dict[str, torch.dtype] = {}
    for folder in folders:
        for name, tensor in load_model(folder).model.state_dict().items():
            kinds[name] = tensor.dtype
            total[name] = total[name] + tensor.double() if name in total else tensor.double()
    return {name: (tensor / len(folders)).to(kinds[name]) for name, tensor in total.items()}


def restore_weights(model: Model, folder: Path) -> None:
    """Give a model the weights of a checkpoint, bit for bit."""
    model.load_state_dict(load_model(folder).model.state_dict())
