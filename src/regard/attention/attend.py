"""The one function."""

import torch
from jaxtyping import Int
from torch import Tensor

from regard.attention.biases import Bias
from regard.attention.efficient.method import AttentionMethod
from regard.attention.kernels import Run, attention_output, output_and_statistics
from regard.attention.masks import DenseMask, Mask
from regard.attention.normalisers import Normaliser
from regard.attention.pattern import Pattern
from regard.attention.scores import Dot, Score
from regard.attention.taps import Taps
from regard.shapes import AttentionOutput, Keys, Queries, Values


def attend(
    query: Queries,
    key: Keys,
    value: Values,
    *,
    score: Score = Dot(),
    bias: Bias | None = None,
    mask: Mask | Tensor | None = None,
    normaliser: Normaliser | None = None,
    method: AttentionMethod | None = None,
    taps: Taps = (),
    positions: Int[Tensor, "#batch queries"] | None = None,
    dropout: float = 0.0,
) -> AttentionOutput:
    """Compare each query with the keys it may see, turn the scores into weights, gather the values.

    Runs at the speed of the fused kernel; the weights are there for whoever looks through a tap. Keys and values
    may have fewer heads than queries (grouped heads), values another width. `mask` can be a bool tensor, True =
    may look. Dropout takes weights away after the pattern was seen. A `method` compares fewer pairs: see efficient/.
    `positions` are those of the queries in their text, for taps that name them.
    """
    kind = query.device.type
    if torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
        options = {"score": score, "bias": bias, "mask": mask, "normaliser": normaliser, "method": method}
        cast = query.to(dtype)
        with torch.autocast(kind, enabled=False):
            key = cast if key is query else key.to(dtype)
            return attend(cast, key, value.to(dtype), **options, taps=taps, positions=positions, dropout=dropout)
    mask = DenseMask(mask) if isinstance(mask, Tensor) else mask
    pattern = Pattern(
        query, key, score, bias, mask, normaliser or score.normaliser, value=value, query_positions=positions
    )
    if method is not None:
        pattern = method.pattern(pattern)
    run = None if method is None else method.run
    return attend_with_taps(taps, pattern, dropout, run) if taps else attention_output(pattern, dropout, run)


def attend_with_taps(taps: Taps, pattern: Pattern, dropout: float = 0.0, run: Run | None = None) -> AttentionOutput:
    """All edits run first, then all watchers see the result."""
    for tap in taps:
        pattern = tap.edit(pattern)
    output, pattern = output_and_statistics(pattern, dropout, run)
    for tap in taps:
        tap.see(pattern)
    return output
