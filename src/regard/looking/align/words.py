"""Looks of tokens become looks of words, and looks become links."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from regard.looking.align.links import Links

LITTLE = 0.1  # of a look: as much is added to what a column received, so that those that nobody looks at stay small
Numbers = Sequence[int | None]
"""The word to which each token belongs, counted from 0; None for what is no part of the text."""


def word_weights(
    weights: Float[Tensor, "*looks target source"], target: Numbers, source: Numbers
) -> Float[Tensor, "*looks target_words source_words"]:
    """Looks of one word are averaged, looks at one word are added up; words without a token have zeros."""
    return merge_tokens(weights, membership(target), membership(source))


def merge_tokens(
    weights: Float[Tensor, "*looks target source"],
    target: Float[Tensor, "target_words target"],
    source: Float[Tensor, "source_words source"],
) -> Float[Tensor, "*looks target_words source_words"]:
    """The same, given which tokens each word has: 1 where a token belongs to it."""
    rows, columns = target.to(weights), source.to(weights)
    return (rows / rows.sum(1, keepdim=True).clamp(min=1)) @ weights @ columns.T


def membership(words: Numbers) -> Float[Tensor, "words tokens"]:
    """Which tokens each word has."""
    inside = [(word, token) for token, word in enumerate(words) if word is not None]
    belongs = torch.zeros(max((word for word, _ in inside), default=-1) + 1, len(words))
    if inside:
        belongs[tuple(torch.tensor(inside).T)] = 1.0
    return belongs


def balance(weights: Float[Tensor, "target source"]) -> Float[Tensor, "target source"]:
    """What everybody looks at counts for less: each column over all that it received, so that a word at which heads
    rest, a full stop or the end, is not everybody's partner."""
    return weights / (weights.sum(0) + LITTLE)


def links(weights: Float[Tensor, "target source"]) -> Links:
    """Each row and the column with its largest weight once they are balanced, as (column, row); a row that sees nothing
    has none."""
    if 0 in weights.shape:
        return frozenset()
    most = balance(weights).max(-1)
    partners = zip(most.indices.tolist(), most.values.tolist(), strict=True)
    return frozenset((column, row) for row, (column, weight) in enumerate(partners) if weight > 0)
