"""The vectors of a text's tokens become one."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.layers import pool_tokens
from regard.shapes import AttentionMask, Stream
from regard.tasks.processors.pooling import Pooling

Vectors = Float[Tensor, "batch width"]


def largest(x: Stream, attention_mask: AttentionMask) -> Vectors:
    """The largest of each number over the real tokens."""
    return x.masked_fill(~attention_mask[..., None], -torch.inf).amax(1)


def by_root(x: Stream, attention_mask: AttentionMask) -> Vectors:
    """The sum divided by the root of the length."""
    return (x * attention_mask[..., None]).sum(1) / attention_mask.sum(1, keepdim=True).to(x.dtype).sqrt()


POOLS: dict[str, Callable[[Stream, AttentionMask], Vectors]] = {
    "cls_token": lambda x, attention_mask: pool_tokens(x, attention_mask, "first"),
    "mean_tokens": lambda x, attention_mask: pool_tokens(x, attention_mask, "mean"),
    "max_tokens": largest,
    "mean_sqrt_len_tokens": by_root,
    "lasttoken": lambda x, attention_mask: pool_tokens(x, attention_mask, "last"),
}
"""What each of the MODES does."""


def pool_vectors(x: Stream, attention_mask: AttentionMask, pooling: Pooling) -> Float[Tensor, "batch _"]:
    """One vector for each text."""
    vectors = torch.cat([POOLS[mode](x, attention_mask) for mode in pooling.modes], -1)
    return F.normalize(vectors, dim=-1) if pooling.normalise else vectors
