"""Muon: steps of equal size in every direction of a matrix (Jordan et al. 2024), Adam for all other weights."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

MATRIX = 8  # the longer side of a matrix between layers is at most so many times the shorter; a table of words is more
ROUNDS = 5
COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(torch.optim.Optimizer):
    """The momentum of a matrix becomes the orthogonal one next to it before the weights follow.

    It is scaled by 0.2 times the root of the longer side, so that Adam's learning rates fit (Liu et al. 2025, 2.2).
    Tables of words, vectors and tensors of other shapes are Adam's. torch.optim.Muon does its rounds in bfloat16, which
    few processors multiply; these are in float32, for all matrices of one shape at once.
    """

    def __init__(
        self,
        params: Iterable[dict[str, Any]],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.98),
        eps: float = 1e-9,
        weight_decay: float = 0.0,
        momentum: float = 0.95,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.momentum = momentum
        rest = [weight for group in self.param_groups for weight in group["params"] if not is_matrix(weight)]
        self.adam: torch.optim.Adam | None = torch.optim.Adam(rest, lr, betas, eps, fused=True) if rest else None
        if self.adam is not None:
            self.adam.state = self.state  # what is saved and restored is one

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - takes no closure
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            for weight in weights if group["weight_decay"] else ():
                weight.mul_(1 - group["lr"] * group["weight_decay"])
            self.orthogonal_step([weight for weight in weights if is_matrix(weight)], group["lr"])
        if self.adam is not None:
            self.adam.param_groups[0]["lr"] = self.param_groups[0]["lr"]
            self.adam.step()

    def orthogonal_step(self, weights: list[Tensor], learning_rate: float) -> None:
        by_shape: dict[torch.Size, list[tuple[Tensor, Tensor]]] = {}
        for weight in weights:
            state, grad = self.state[weight], gradient(weight)
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = torch.zeros_like(weight)
            state["momentum_buffer"].lerp_(grad, 1 - self.momentum)
            direction = grad.lerp(state["momentum_buffer"], self.momentum)  # Nesterov's
            by_shape.setdefault(weight.shape, []).append((weight, direction))
        for shape, pairs in by_shape.items():
            directions = orthogonal(torch.stack([direction for _, direction in pairs]))
            for (weight, _), direction in zip(pairs, directions, strict=True):
                weight.sub_(direction, alpha=0.2 * max(shape) ** 0.5 * learning_rate)


def is_matrix(weight: Tensor) -> bool:
    """Whether a weight maps one layer's vectors to another's."""
    return weight.ndim == 2 and max(weight.shape) <= MATRIX * min(weight.shape)


def gradient(weight: Tensor) -> Tensor:
    assert weight.grad is not None
    return weight.grad


def orthogonal(matrices: Tensor, rounds: int = ROUNDS) -> Tensor:
    """The orthogonal matrix next to each of (count, rows, columns), roughly.

    Newton and Schulz: an odd polynomial of a matrix is the same polynomial of its singular values, and this one pushes
    all of them towards 1, to between 0.7 and 1.2.
    """
    is_tall = matrices.shape[-2] > matrices.shape[-1]
    x = matrices.mT if is_tall else matrices
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-7)
    first, third, fifth = COEFFICIENTS
    for _ in range(rounds):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=third, alpha=fifth), x, beta=first)
    return x.mT if is_tall else x
