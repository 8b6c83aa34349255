"""LoRA (Hu et al. 2022): a trained matrix moves by the product of two narrow ones, everything else stays."""

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from regard.training.optimisation.muon import gradient, is_matrix


class LowRankAdam(torch.optim.Optimizer):
    """Adam on `down` and `up`, with weight = base + alpha / rank · up · down.

    The gradient of the weight gives theirs, so the model is an ordinary one at every step, and a checkpoint needs no
    merging. Tables of words, norms and biases do not learn.
    """

    def __init__(
        self,
        params: Iterable[dict[str, Any]],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.98),
        eps: float = 1e-9,
        *,
        rank: int,
        alpha: float,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps})
        self.scale: float = alpha / rank
        matrices = [weight for group in self.param_groups for weight in group["params"] if is_matrix(weight)]
        for number, weight in enumerate(matrices):
            rows, columns = weight.shape
            bound = 1 / math.sqrt(columns)
            drawn = torch.rand(rank, columns, generator=torch.Generator().manual_seed(number)).mul(2).sub(1)
            state = {"base": weight.detach().clone(), "down": (bound * drawn).to(weight)}
            state["up"] = torch.zeros(rows, rank).to(weight)
            for name in ("down", "up"):
                state[f"{name}_exp_avg"] = torch.zeros_like(state[name])
                state[f"{name}_exp_avg_sq"] = torch.zeros_like(state[name])
            self.state[weight] = {**state, "step": torch.zeros(())}

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - takes no closure
        for group in self.param_groups:
            for weight in group["params"]:
                if weight in self.state and weight.grad is not None:
                    self.move(weight, self.state[weight], group)

    def move(self, weight: Tensor, state: dict[str, Tensor], group: dict[str, Any]) -> None:
        grad = self.scale * gradient(weight)
        grads = {"down": state["up"].T @ grad, "up": grad @ state["down"].T}
        state["step"] += 1
        step, (beta1, beta2) = float(state["step"]), group["betas"]
        for name, grad in grads.items():
            mean = state[f"{name}_exp_avg"].lerp_(grad, 1 - beta1)
            square = state[f"{name}_exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            root = (square / (1 - beta2**step)).sqrt_().add_(group["eps"])
            state[name].addcdiv_(mean, root, value=-group["lr"] / (1 - beta1**step))
        weight.copy_(torch.addmm(state["base"], state["up"], state["down"], alpha=self.scale))
