"""The one function."""

import torch
from torch import Tensor

from regard.attention.biases import Bias
from regard.attention.kernels import gather, gather_and_tell
from regard.attention.masks import Dense, Mask
from regard.attention.normalisers import Normaliser
from regard.attention.pattern import Pattern
from regard.attention.scores import Dot, Score
from regard.attention.taps import Taps
from regard.shapes import Gathered, Keys, Queries, Values


def attend(
    query: Queries,
    key: Keys,
    value: Values,
    *,
    score: Score = Dot(),
    bias: Bias | None = None,
    mask: Mask | Tensor | None = None,
    normaliser: Normaliser | None = None,
    taps: Taps = (),
    dropout: float = 0.0,
) -> Gathered:
    """Compare each query with the keys it may see, turn the scores into weights, gather the values.

    Runs at the speed of the fused kernel; the weights are there for whoever looks through a tap. Keys and values
    may have fewer heads than queries (grouped heads), values another width. `mask` can be a bool tensor, True =
    may look. Dropout takes weights away after the pattern was seen.
    """
    kind = query.device.type
    if torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
        told = {"score": score, "bias": bias, "mask": mask, "normaliser": normaliser, "taps": taps, "dropout": dropout}
        with torch.autocast(kind, enabled=False):
            return attend(query.to(dtype), key.to(dtype), value.to(dtype), **told)
    mask = Dense(mask) if isinstance(mask, Tensor) else mask
    pattern = Pattern(query, key, score, bias, mask, normaliser or score.normaliser, value=value)
    return through(taps, pattern, dropout) if taps else gather(pattern, dropout)


def through(taps: Taps, pattern: Pattern, dropout: float = 0.0) -> Gathered:
    """All edits run first, then all watchers see the result."""
    for tap in taps:
        pattern = tap.edit(pattern)
    gathered, pattern = gather_and_tell(pattern, dropout)
    for tap in taps:
        tap.see(pattern)
    return gathered
