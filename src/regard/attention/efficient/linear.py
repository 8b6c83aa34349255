"""Weights that factor, so that sums take the place of comparisons."""

from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention.efficient.method import AttentionMethod
from regard.attention.kernels import KernelResult, exact
from regard.attention.masks import And, Causal, Padding
from regard.attention.masks.padding import padding
from regard.attention.normalisers import Softmax
from regard.attention.pattern import Pattern
from regard.attention.scores import FEATURES, Dot, Kernel
from regard.errors import RegardError, lookup

CHUNK = 64  # positions that are compared pair by pair
PIECE = 16  # chunks that are worked on together


class LinearAttention(AttentionMethod):
    """feature(query) · feature(key) in place of exp(query · key): Katharopoulos et al. 2020, 3.2 and 3.3.

    Keys and values are summed before any query asks; under a causal mask the sums grow from chunk to chunk. Time and
    memory grow with the length, backward too: nothing but queries, keys and values is kept for it.
    """

    promise: ClassVar[str] = "exact for its own weights, φ(q)·φ(k) over their sum; those are no softmax, nor near one"

    score: Kernel

    def __init__(self, feature: str = "elu") -> None:
        super().__init__()
        self.score = Kernel(lookup(FEATURES, feature, "feature map"))

    def pattern(self, full: Pattern) -> Pattern:
        if full.score != Dot() or type(full.normaliser) is not Softmax:
            raise RegardError(f"{self.name} compares by a feature map of its own, got {full.score!r}")
        self.check_no_bias(full)
        self.mask_parts(full.mask, Causal, Padding)
        return Pattern(full.query, full.key, self.score, None, full.mask, value=full.value)

    def run(self, pattern: Pattern, dropout: float, tell: bool) -> KernelResult:
        self.check_no_dropout(dropout)
        _, heads, queries, keys = pattern.shape
        parts = pattern.mask.parts if isinstance(pattern.mask, And) else (pattern.mask,)
        is_causal = any(isinstance(part, Causal) for part in parts)
        if is_causal and queries != keys:  # a text that is being written: one row, or a few
            return exact(pattern, dropout, tell)
        kind = torch.promote_types(pattern.query.dtype, torch.float32)
        query, key = (self.score.feature(each.to(kind)) for each in (pattern.query, pattern.key))
        value = F.pad(pattern.values.to(kind), (0, 1), value=1.0)  # what is gathered of ones is the sum of the weights
        if (hides := padding(pattern.allowed)) is not None:
            attention_mask = hides.attention_mask[:, None, :, None]
            key, value = torch.where(attention_mask, key, 0), torch.where(attention_mask, value, 0)
        if key.shape[1] != heads:
            key, value = (each.repeat_interleave(heads // key.shape[1], 1) for each in (key, value))
        sums = Prefixes.apply(query, key, value) if is_causal else query @ (key.transpose(-1, -2) @ value)
        output, total = sums[..., :-1], sums[..., -1:]
        output = output / torch.where(total == 0, 1, total)
        return output.to(pattern.values.dtype), (total.detach(),) if tell else None


class Prefixes(torch.autograd.Function):
    """tril(query keyᵀ) value, or triu where `ahead`. Its gradients are of the same two forms, so that backward needs no
    more than forward."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, ahead: bool = False) -> Tensor:
        ctx.save_for_backward(query, key, value)
        ctx.ahead = ahead
        return prefix_sums(query, key, value, ahead)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        query, key, value = ctx.saved_tensors
        (gradient,) = gradients
        return (
            Prefixes.apply(gradient, value, key, ctx.ahead),
            Prefixes.apply(value, gradient, query, not ctx.ahead),
            Prefixes.apply(key, query, gradient, not ctx.ahead),
            None,
        )


def prefix_sums(query: Tensor, key: Tensor, value: Tensor, ahead: bool) -> Tensor:
    """(batch, heads, length, …): pairs within a chunk, and sums of all chunks before it, or after it."""
    sums = query.new_zeros(*key.shape[:2], 1, key.shape[3], value.shape[3])
    pieces = [*zip(*(each.split(PIECE * CHUNK, 2) for each in (query, key, value)), strict=True)]
    outputs: list[Tensor] = []
    for parts in reversed(pieces) if ahead else pieces:
        length = parts[0].shape[2]
        queries, keys, values = (F.pad(part, (0, 0, 0, -length % CHUNK)).unflatten(2, (-1, CHUNK)) for part in parts)
        products, pairs = keys.transpose(-1, -2) @ values, queries @ keys.transpose(-1, -2)
        if ahead:
            sums = torch.cat([products, sums], 2).flip(2).cumsum(2).flip(2)
            others, sums, pairs = sums[:, :, 1:], sums[:, :, :1], pairs.triu_()
        else:
            sums = torch.cat([sums, products], 2).cumsum(2)
            others, sums, pairs = sums[:, :, :-1], sums[:, :, -1:], pairs.tril_()
        outputs.append((pairs @ values + queries @ others).flatten(2, 3)[:, :, :length])
    return torch.cat(outputs[::-1] if ahead else outputs, 2) if outputs else torch.zeros_like(value)
