"""Two readings become one before either has decided: their weights are averaged, and what is heavy enough is linked.

A word that one reading is unsure of, the other may be sure of; links that each made for itself no longer know that.
"""

import numpy as np

from regard.text.align.links import Links
from regard.text.align.words import balance

SURE = 0.35
"""What the mean of two weights has to exceed: chosen on the 100 sentences of Biçici's gold alignment."""
LEAST = 1e-9  # so that a row of zeros stays one


def mean_links(forward: np.ndarray, backward: np.ndarray, threshold: float = SURE) -> Links:
    """Links of words whose weights in both directions have a mean above the threshold, source first.

    `forward` has a row for each target word and what it looks at, `backward` a row for each source word.
    """
    size = max(len(forward), backward.shape[1]), max(len(backward), forward.shape[1])
    target_rows, source_rows = grown(shares(forward), size), grown(shares(backward).T, size)
    rows, columns = (axis.tolist() for axis in ((target_rows + source_rows) / 2 > threshold).nonzero())
    return frozenset(zip(columns, rows, strict=True))


def shares(weights: np.ndarray) -> np.ndarray:
    """Each row as shares of what it sees, once columns at which everybody looks count for less."""
    balanced = balance(weights)
    return balanced / (balanced.sum(1, keepdims=True) + LEAST)


def grown(weights: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """With zeros for words at the end that only the other reading has tokens for."""
    return np.pad(weights, [(0, most - own) for most, own in zip(size, weights.shape, strict=True)])
