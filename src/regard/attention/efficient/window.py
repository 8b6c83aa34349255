"""A look at the neighbourhood, in blocks."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention.efficient.method import AttentionMethod
from regard.attention.kernels import KernelResult, exact, fused, fuses
from regard.attention.masks import And, Causal, Padding, Window
from regard.attention.masks.padding import padding
from regard.attention.pattern import Pattern
from regard.attention.tiles import BUDGET
from regard.config.ranges import COUNT

SMALLEST = 64  # queries in a block: a product with fewer rows wastes the processor


class WindowAttention(AttentionMethod):
    """Each query sees `before` positions to the left of its own and `after` to the right: Beltagy et al. 2020, 3.1.

    Queries stand in blocks, as long as the window reaches, each beside the one run of keys that its queries see: one
    kernel call for all blocks. Time and memory grow with length x window, backward too.
    """

    promise: ClassVar[str] = "exact: softmax over the window, as mask=Window(before, after) defines it"
    example_settings: ClassVar[Mapping[str, object]] = {"before": 3, "after": 1}

    window: Window

    def __init__(self, before: Annotated[int, COUNT], after: Annotated[int, COUNT] = 0) -> None:
        super().__init__()
        self.window = Window(before, after)

    def pattern(self, full: Pattern) -> Pattern:
        return replace(full, mask=self.window if full.mask is None else full.mask & self.window)

    def run(self, pattern: Pattern, dropout: float, tell: bool) -> KernelResult:
        reach = self.reach(pattern)
        _, _, queries, keys = pattern.shape
        if reach is None or queries != keys or pattern.bias is not None or not fuses(pattern, dropout):
            return exact(pattern, dropout, tell)  # the same weights, one block after the other
        before, after = reach
        size = max(before + after, SMALLEST)
        if keys <= 2 * size:
            return exact(pattern, dropout, tell)
        return attend_blocks(pattern, before, after, size, tell)

    def reach(self, pattern: Pattern) -> tuple[int, int] | None:
        """How far queries see to both sides; None where the mask says more than that and who is padding."""
        parts = pattern.mask.parts if isinstance(pattern.mask, And) else (pattern.mask,)
        if not all(isinstance(part, Window | Causal | Padding) for part in parts):
            return None
        windows = [part for part in parts if isinstance(part, Window)]
        after = min(window.after for window in windows)
        after = 0 if any(isinstance(part, Causal) for part in parts) else after
        return min(window.before for window in windows), after


def attend_blocks(pattern: Pattern, before: int, after: int, size: int, tell: bool) -> KernelResult:
    """One kernel call for all blocks that see whole windows, and one at each end."""
    batch, _, _, keys = pattern.shape
    count, rest, span = -(-keys // size), -keys % size, before + size + after
    query = blocks(pattern.query, 0, rest, size, size)
    key, value = (blocks(each, before, after + rest, size, span) for each in (pattern.key, pattern.values))
    row, column = torch.arange(size, device=key.device), torch.arange(span, device=key.device)
    ahead = column - row[:, None]
    near = ((ahead >= 0) & (ahead <= before + after))[None, None]  # of every block
    hides = padding(pattern.allowed)
    if hides is None:
        there, lengths = None, [1, count - 3, 2] if count > 3 else [count]
    else:  # then every block has a mask of its own
        there = hides.attention_mask.expand(batch, -1)
        some = max(BUDGET // (batch * near.numel()), 1)
        lengths = [min(some, count - first) for first in range(0, count, some)]
    outputs: list[Tensor] = []
    statistics: list[Tensor] = []
    first = 0
    for length, *parts in zip(lengths, *(each.split(lengths, 1) for each in (query, key, value)), strict=True):
        allowed = near
        if there is not None or first == 0 or first + length == count:
            positions = column - before + size * torch.arange(first, first + length, device=key.device)[:, None]
            inside = ((positions >= 0) & (positions < keys)).expand(batch, -1, -1)
            if there is not None:
                inside = inside & there[:, positions.clamp(0, keys - 1)]
            allowed = near & inside.flatten(0, 1)[:, None, None]
        some_queries, some_keys, some_values = (part.flatten(0, 1) for part in parts)
        output, row_statistics = fused(pattern, some_queries, some_keys, some_values, allowed, False, tell)
        outputs.append(output.unflatten(0, (-1, length)))
        statistics += [part.unflatten(0, (-1, length)) for part in row_statistics or ()]
        first += length
    return join_blocks(outputs, keys), (join_blocks(statistics, keys),) if statistics else None


def blocks(x: Tensor, left: int, right: int, step: int, size: int) -> Tensor:
    """(batch, heads, length, width) becomes (batch, blocks, heads, size, width), a block beginning every `step`."""
    return F.pad(x, (0, 0, left, right)).unfold(2, size, step).permute(0, 2, 1, 4, 3)


def join_blocks(parts: list[Tensor], length: int) -> Tensor:
    """(batch, blocks, heads, size, width), in several parts, becomes (batch, heads, length, width)."""
    return torch.cat(parts, 1).transpose(1, 2).flatten(2, 3)[:, :, :length]
