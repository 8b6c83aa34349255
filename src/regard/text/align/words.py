"""Looks of tokens become looks of words, and looks become links."""

from collections.abc import Sequence

import numpy as np

from regard.text.align.links import Links

LITTLE = 0.1  # of a look: as much is added to what a column received, so that those that nobody looks at stay small
Numbers = Sequence[int | None]
"""The word to which each token belongs, counted from 0; None for what is no part of the text."""


def word_weights(weights: np.ndarray, target: Numbers, source: Numbers) -> np.ndarray:
    """Looks of one word are averaged, looks at one word are added up; words without a token have zeros."""
    return merge_tokens(weights, membership(target), membership(source))


def merge_tokens(
    weights: np.ndarray,
    target: np.ndarray,
    source: np.ndarray,
) -> np.ndarray:
    """The same, given which tokens each word has: 1 where a token belongs to it."""
    rows, columns = target.astype(weights.dtype), source.astype(weights.dtype)
    return (rows / rows.sum(1, keepdims=True).clip(min=1)) @ weights @ columns.T


def membership(words: Numbers) -> np.ndarray:
    """Which tokens each word has."""
    inside = [(word, token) for token, word in enumerate(words) if word is not None]
    belongs = np.zeros((max((word for word, _ in inside), default=-1) + 1, len(words)), dtype=np.float32)
    for word, token in inside:
        belongs[word, token] = 1.0
    return belongs


def balance(weights: np.ndarray) -> np.ndarray:
    """What everybody looks at counts for less: each column over all that it received, so that a word at which heads
    rest, a full stop or the end, is not everybody's partner."""
    return weights / (weights.sum(0) + LITTLE)


def links(weights: np.ndarray) -> Links:
    """Each row and the column with its largest weight once they are balanced, as (column, row); a row that sees nothing
    has none."""
    if 0 in weights.shape:
        return frozenset()
    balanced = balance(weights)
    partners = zip(balanced.argmax(-1).tolist(), balanced.max(-1).tolist(), strict=True)
    return frozenset((column, row) for row, (column, weight) in enumerate(partners) if weight > 0)
