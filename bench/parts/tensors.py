"""What is measured: heads of the size that small models have."""

import torch
from torch import Tensor

HEADS = 8
WIDTH = 64  # of one head


def random_heads(length: int, heads: int = HEADS, width: int = WIDTH) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value: (1, heads, length, width)."""
    made = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(1, heads, length, width, generator=made) for _ in range(3))
    return query, key, value
