"""What turns gradients into steps."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from regard.errors import lookup
from regard.training.optimisation.low_rank import LowRankAdam
from regard.training.optimisation.muon import Muon
from regard.training.run.sharing import distribute_like, full_tensor

OPTIMISERS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": partial(torch.optim.Adam, fused=True),
    "adamw": partial(torch.optim.AdamW, fused=True),
    "muon": Muon,
}
"""Kingma and Ba 2015; Loshchilov and Hutter 2019; Jordan et al. 2024. The first two are torch's."""


def make_optimiser(
    model: nn.Module,
    kind: str,
    *,
    learning_rate: float,
    betas: Sequence[float],
    epsilon: float,
    weight_decay: float,
    lora_rank: int = 0,
    lora_alpha: float = 16.0,
) -> torch.optim.Optimizer:
    """An optimiser of what learns. Weights that multiply decay; norms, biases and other vectors do not."""
    learning = [weight for weight in model.parameters() if weight.requires_grad]
    groups = [
        {"params": [weight for weight in learning if weight.dim() > 1], "weight_decay": weight_decay},
        {"params": [weight for weight in learning if weight.dim() <= 1], "weight_decay": 0.0},
    ]
    if lora_rank:
        return LowRankAdam(groups, learning_rate, (betas[0], betas[1]), epsilon, rank=lora_rank, alpha=lora_alpha)
    return lookup(OPTIMISERS, kind, "optimiser")(
        [group for group in groups if group["params"]], lr=learning_rate, betas=tuple(betas), eps=epsilon
    )


def clip_gradients(weights: Sequence[Tensor], max_norm: float) -> Tensor:
    """The norm of all gradients together; they are made shorter where it is above `most` (0: never)."""
    grads = [weight.grad for weight in weights if weight.grad is not None]
    norm = full_tensor(torch.nn.utils.get_total_norm(grads))
    if max_norm > 0:
        torch.nn.utils.clip_grads_with_norm_(weights, max_norm, norm)
    return norm


def moments(optimiser: torch.optim.Optimizer, names: Mapping[Tensor, str]) -> dict[str, Tensor]:
    """What an optimiser remembers, by the names of the weights: "encoder.…weight:exp_avg"."""
    return {
        f"{names[weight]}:{key}": full_tensor(value)
        for weight, state in optimiser.state.items()
        for key, value in state.items()
        if isinstance(value, Tensor)
    }


def restore_moments(
    optimiser: torch.optim.Optimizer, names: Mapping[Tensor, str], saved: dict[str, Tensor]
) -> tuple[set[str], set[str]]:
    """Give an optimiser its memory back; the names that it lacks, and those that nobody wanted."""
    weights = {name: weight for weight, name in names.items()}
    learning = {names[weight] for group in optimiser.param_groups for weight in group["params"]}
    restored: set[str] = set()
    for key, value in saved.items():
        name, kind = key.rsplit(":", 1)
        if name in learning:
            restored.add(name)
            weight = weights[name]
            optimiser.state[weight][kind] = value.clone() if kind == "step" else distribute_like(value, weight)
    return (learning - restored if saved else set()), {key.rsplit(":", 1)[0] for key in saved} - learning
