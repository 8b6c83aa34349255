"""The mean of several checkpoints, better than each of them: Junczys-Dowmunt et al. 2016."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from regard.checkpoints import CheckpointError, load_model
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
    saved, shapes = load_model(folder).model.state_dict(), {name: one.shape for name, one in model.state_dict().items()}
    for name in sorted(shapes.keys() | saved.keys()):
        if name not in shapes or name not in saved or saved[name].shape != shapes[name]:
            has = f"has {list(saved[name].shape)}" if name in saved else "does not have it"
            wants = list(shapes[name]) if name in shapes else "none"
            raise CheckpointError(f"{folder}: {name}: the checkpoint {has}, and the data asks for {wants}")
    model.load_state_dict(saved)
