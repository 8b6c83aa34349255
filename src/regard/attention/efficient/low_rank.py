"""A text told in a few slots."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

import torch
from torch import Tensor, nn

from regard.attention.efficient.method import AttentionMethod
from regard.attention.kernels import KernelResult, exact
from regard.attention.masks import Padding
from regard.attention.masks.padding import padding
from regard.attention.pattern import Pattern
from regard.config.ranges import POSITIONS
from regard.errors import RegardError, ShapeError


class LowRankAttention(AttentionMethod):
    """Keys and values of up to `length` positions are mixed into `slots`, which queries look at: Wang et al. 2020, 4.

    Both mixtures are learned and shared by all heads. Every slot holds something of every position, so that there is no
    looking back alone: for texts that are read whole. Time and memory grow with length x slots.
    """

    promise: ClassVar[str] = "exact over its slots; full attention only where that has no more rank than there are"
    sees_tokens: ClassVar[bool] = False
    example_settings: ClassVar[Mapping[str, object]] = {"slots": 4}

    key_slots: nn.Parameter
    value_slots: nn.Parameter

    def __init__(self, length: Annotated[int, POSITIONS], slots: Annotated[int, POSITIONS] = 64) -> None:
        super().__init__()
        if not 1 <= slots <= length:
            raise ShapeError(f"from 1 slot to {length}, as many as there are positions, expected, got {slots}")
        self.key_slots = nn.Parameter(torch.empty(slots, length))
        self.value_slots = nn.Parameter(torch.empty(slots, length))
        for mixture in (self.key_slots, self.value_slots):
            nn.init.normal_(mixture, std=length**-0.5)

    def pattern(self, full: Pattern) -> Pattern:
        """Queries and slots: what is padding has no part in them."""
        self.check_dot_softmax(full)
        self.mask_parts(full.mask, Padding)
        hides = padding(full.mask)
        key, value = (
            mix_into_slots(self.key_slots, full.key, hides),
            mix_into_slots(self.value_slots, full.values, hides),
        )
        return Pattern(full.query, key, full.score, value=value)

    def run(self, pattern: Pattern, dropout: float, tell: bool) -> KernelResult:
        if pattern.hidden is not None:
            raise RegardError(f"{self.name} looks at slots: a token cannot be hidden there, a head can be switched off")
        return exact(pattern, dropout, tell)


def mix_into_slots(mixture: Tensor, x: Tensor, hides: Padding | None) -> Tensor:
    """(batch, heads, length, width) becomes (batch, heads, slots, width)."""
    length = x.shape[2]
    if length > mixture.shape[1]:
        raise ShapeError(f"LowRankAttention mixes up to {mixture.shape[1]} positions, got {length}")
    if hides is not None:
        x = torch.where(hides.attention_mask[:, None, :, None], x, 0)
    return mixture[:, :length].to(x.dtype) @ x
