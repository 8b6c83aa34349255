"""Keeping vectors at a size that can be learned from."""

from torch import nn

NORMS: dict[str, type[nn.Module]] = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}
"""LayerNorm: Ba et al. 2016. RMSNorm: Zhang and Sennrich 2019. Both are torch's own."""
