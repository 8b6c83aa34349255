"""What every score means in plain torch."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from attention.plain import Sizes, ahead, leaf
from torch import Tensor

from regard.attention import Additive, Dot, Kernel, Location, Score, Shaw, SoftCap, XLScore


class ScoreExample(NamedTuple):
    """The value, what it learns, and a function of query and key, one key head per query head."""

    score: Score
    learned: list[Tensor]
    plain: Callable[[Tensor, Tensor], Tensor]


def dot(sizes: Sizes) -> ScoreExample:
    def plain(query, key):
        return torch.einsum("bhqw,bhkw->bhqk", query, key) / math.sqrt(sizes.width)

    return ScoreExample(Dot(), [], plain)


def additive(sizes: Sizes) -> ScoreExample:
    vector = leaf(sizes.heads, sizes.width)

    def plain(query, key):
        return torch.einsum("bhqkw,hw->bhqk", torch.tanh(query[:, :, :, None] + key[:, :, None]), vector.to(query))

    return ScoreExample(Additive(vector), [vector], plain)


def location(sizes: Sizes) -> ScoreExample:
    table = leaf(sizes.heads, sizes.keys + 2, sizes.width)

    def plain(query, key):
        return torch.einsum("bhqw,hkw->bhqk", query, table.to(query)[:, : sizes.keys])

    return ScoreExample(Location(table), [table], plain)


def shaw(sizes: Sizes) -> ScoreExample:
    table = leaf(sizes.heads, 5, sizes.width)

    def plain(query, key):
        moved = key[:, :, None] + table.to(query)[:, ahead(sizes).clamp(-2, 2) + 2]
        return torch.einsum("bhqw,bhqkw->bhqk", query, moved) / math.sqrt(sizes.width)

    return ScoreExample(Shaw(table), [table], plain)


def xl(sizes: Sizes) -> ScoreExample:
    u, v = leaf(sizes.heads, sizes.width), leaf(sizes.heads, sizes.width)
    table = leaf(sizes.heads, sizes.queries + sizes.keys, sizes.width)

    def plain(query, key):
        content = torch.einsum("bhqw,bhkw->bhqk", query + u.to(query)[:, None], key)
        vectors = table.to(query)[:, sizes.queries - ahead(sizes)]  # (heads, queries, keys, width)
        return (content + torch.einsum("bhqw,hqkw->bhqk", query + v.to(query)[:, None], vectors)) / math.sqrt(
            sizes.width
        )

    return ScoreExample(XLScore(u, v, table, zero=sizes.queries), [u, v, table], plain)


def kernel(sizes: Sizes) -> ScoreExample:
    def plain(query, key):
        return torch.einsum("bhqw,bhkw->bhqk", F.elu(query) + 1, F.elu(key) + 1)

    return ScoreExample(Kernel(), [], plain)


def softcap(sizes: Sizes) -> ScoreExample:
    def plain(query, key):
        return 2 * torch.tanh(torch.einsum("bhqw,bhkw->bhqk", query, key) / math.sqrt(sizes.width) / 2)

    return ScoreExample(SoftCap(2.0), [], plain)


SCORE_EXAMPLES = {make.__name__: make for make in (dot, additive, location, shaw, xl, kernel, softcap)}
