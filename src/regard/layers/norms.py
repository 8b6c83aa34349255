"""Keeping vectors at a size that can be learned from."""

from torch import Tensor, nn


class NoNorm(nn.Module):
    """Leaves vectors as they are, to see what a norm is good for."""

    def __init__(self, width: int, eps: float = 0.0) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        return x


NORMS: dict[str, type[nn.Module]] = {"layer": nn.LayerNorm, "rms": nn.RMSNorm, "none": NoNorm}
"""LayerNorm: Ba et al. 2016. RMSNorm: Zhang and Sennrich 2019. Both are torch's own."""
