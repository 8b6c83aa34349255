"""Keeping vectors at a size that can be learned from."""

import torch
from torch import Tensor, nn


class NoNorm(nn.Module):
    """Leaves vectors as they are, to see what a norm is good for."""

    def __init__(self, width: int, eps: float = 0.0) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        return x


class UnbiasedLayerNorm(nn.LayerNorm):
    """LayerNorm with a gain alone: Warner et al. 2024."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__(width, eps=eps, bias=False)


class OffsetRMSNorm(nn.Module):
    """RMSNorm whose gain is learned as its difference from 1: Gemma Team 2024."""

    weight: nn.Parameter
    eps: float

    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return (wide * (1 + self.weight.float())).to(x.dtype)


NORMS: dict[str, type[nn.Module]] = {
    "layer": nn.LayerNorm,
    "layer-unbiased": UnbiasedLayerNorm,
    "rms": nn.RMSNorm,
    "rms-offset": OffsetRMSNorm,
    "none": NoNorm,
}
"""LayerNorm: Ba et al. 2016. RMSNorm: Zhang and Sennrich 2019. Both are torch's own."""


def gain_of(norm: nn.Module | None) -> Tensor | None:
    """What a norm multiplies its vectors by, if it learned anything."""
    return 1 + norm.weight if isinstance(norm, OffsetRMSNorm) else getattr(norm, "weight", None)
