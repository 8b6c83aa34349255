"""Attention by its definition: all scores written out, weights, one product. None of regard's arithmetic.

Every entry of the tables has an *example* here or in plain_scores.py: the value under test, and what it means in
plain torch.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from regard.attention import (
    AlibiBias,
    Bias,
    BucketBias,
    Causal,
    DenseBias,
    DenseMask,
    GraphMask,
    Mask,
    Normaliser,
    Padding,
    Softmax,
    SumNormaliser,
    TopK,
    Unnormalised,
    Window,
)


class Sizes(NamedTuple):
    batch: int = 2
    heads: int = 4
    groups: int = 4
    queries: int = 5
    keys: int = 7
    width: int = 4
    value_width: int = 4

    @property
    def behind(self) -> int:
        """The position of the first query: the last one stands beside the last key."""
        return self.keys - self.queries


def ahead(sizes: Sizes) -> Tensor:
    """How far each key stands after each query."""
    lines = [[column - row - sizes.behind for column in range(sizes.keys)] for row in range(sizes.queries)]
    return torch.tensor(lines, dtype=torch.long).reshape(sizes.queries, sizes.keys)


def leaf(*size: int) -> Tensor:
    return (torch.randn(size) / 2).requires_grad_()


# ---- masks: the value and a tensor that broadcasts to (batch, heads, queries, keys)


def causal(sizes: Sizes) -> tuple[Mask, Tensor]:
    return Causal(), (ahead(sizes) <= 0)[None, None]


def window(sizes: Sizes) -> tuple[Mask, Tensor]:
    before, after = torch.randint(0, 4, (2,)).tolist()
    return Window(before, after), ((ahead(sizes) >= -before) & (ahead(sizes) <= after))[None, None]


def padding(sizes: Sizes) -> tuple[Mask, Tensor]:
    lengths = torch.randint(0, sizes.keys + 1, (sizes.batch,)).tolist()
    side = ["left", "right"][torch.randint(2, ()).item()]
    attention_mask = [[False] * (sizes.keys - length) + [True] * length for length in lengths]
    attention_mask = torch.tensor([line if side == "left" else line[::-1] for line in attention_mask])
    return Padding.from_lengths(lengths, side, sizes.keys), attention_mask[:, None, None]


def dense(sizes: Sizes) -> tuple[Mask, Tensor]:
    full = [(1, 1), (sizes.batch, 1), (1, sizes.heads), (sizes.batch, sizes.heads)][torch.randint(4, ()).item()]
    allowed = torch.rand(*full, sizes.queries, sizes.keys) < 0.6
    return DenseMask(allowed), allowed


def graph(sizes: Sizes) -> tuple[Mask, Tensor]:
    adjacency = torch.rand(sizes.keys, sizes.keys) < 0.4
    return GraphMask(adjacency), adjacency[None, None, max(sizes.behind, 0) :]


MASK_EXAMPLES = {"causal": causal, "window": window, "padding": padding, "dense": dense, "graph": graph}


# ---- biases: the value, what it learns, and a tensor that broadcasts to (batch, heads, queries, keys)


class BiasExample(NamedTuple):
    bias: Bias
    learned: list[Tensor]
    plain: Callable[[], Tensor]


def alibi(sizes: Sizes) -> BiasExample:
    slopes = torch.rand(sizes.heads, requires_grad=True)
    return BiasExample(AlibiBias(slopes), [slopes], lambda: -slopes[:, None, None] * ahead(sizes).abs())


def buckets(sizes: Sizes) -> BiasExample:
    line = leaf(sizes.heads, 7)
    return BiasExample(BucketBias(line), [line], lambda: line[:, ahead(sizes).clamp(-3, 3) + 3])


def given(sizes: Sizes) -> BiasExample:
    full = [(1, 1), (sizes.batch, 1), (1, sizes.heads), (sizes.batch, sizes.heads)][torch.randint(4, ()).item()]
    numbers = leaf(*full, sizes.queries, sizes.keys)
    return BiasExample(DenseBias(numbers), [numbers], lambda: numbers)


BIAS_EXAMPLES = {"alibi": alibi, "buckets": buckets, "dense": given}


# ---- normalisers: masked scores become weights


def softmax(scores: Tensor) -> Tensor:
    blind = (scores == -torch.inf).all(-1, keepdim=True)
    return torch.softmax(scores.masked_fill(blind, 0), -1).masked_fill(blind, 0)


def unnormalised(scores: Tensor) -> Tensor:
    return scores.masked_fill(scores == -torch.inf, 0)


def by_sum(scores: Tensor) -> Tensor:
    kept = unnormalised(scores)
    total = kept.sum(-1, keepdim=True)
    return kept / total.masked_fill(total == 0, 1)


def best(k: int) -> Callable[[Tensor], Tensor]:
    def plain(scores):
        least = scores.topk(min(k, scores.shape[-1]), -1).values[..., -1:]
        hard, soft = softmax(scores.masked_fill(scores < least, -torch.inf)), softmax(scores)
        return hard.detach() + soft - soft.detach()  # its gradient is that of the softmax

    return plain


NORMALISER_EXAMPLES: dict[str, tuple[Normaliser, Callable[[Tensor], Tensor]]] = {
    "softmax": (Softmax(), softmax),
    "none": (Unnormalised(), unnormalised),
    "sum": (SumNormaliser(), by_sum),
    "hard": (TopK(2), best(2)),
}
