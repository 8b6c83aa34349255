"""The bar below a diagram: which parts have how many of the parameters."""

from collections import Counter

from regard.pictures.diagrams import DiagramShare

LABELS = {
    "embedding": ("embedding", "words"),
    "position": ("position", "positions"),
    "attention": ("attention", "attention"),
    "feed_forward": ("feed_forward", "feed-forward"),
    "reader": ("cell", "reader"),
    "writer": ("memory", "writer"),
    "cell": ("cell", "cells"),
    "norm": ("norm", "norms"),
    "output": ("output", "output"),
}
"""The colour and the name of every kind of part, in the order from bottom to top."""


def shares_of(counts: Counter[str], words: str = "words") -> tuple[DiagramShare, ...]:
    """The parts of a model in order; `words` are what its embedding is of."""
    return tuple(
        DiagramShare(colour, words if kind == "embedding" else label, counts[kind])
        for kind, (colour, label) in LABELS.items()
        if counts[kind]
    )
