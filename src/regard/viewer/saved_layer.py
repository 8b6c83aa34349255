"""A layer as a saved page keeps it: queries and keys in half precision, from which the page computes every weight.

Where weights do not follow from queries and keys alone (another score than the dot product, a bias, rows that were set
by hand), cells of the map are kept instead, as fine as one tile a head allows. Either way the frame says how far its
weights are from the exact ones.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.attention import Padding, Pattern
from regard.attention.normalisers import Softmax
from regard.attention.scores import Dot
from regard.errors import RegardError
from regard.viewer import pyramid
from regard.viewer.binary_frame import frame
from regard.viewer.maps import thumbnails
from regard.viewer.pyramid import TILE, Pyramid
from regard.viewer.refusals import NotYet

LONGEST = 4096  # tokens either way
ROWS = 256  # rows of weights that are compared at once


@dataclass(frozen=True)
class SavedDot:
    """Queries, scaled, and keys as half precision holds them; `visible` are the keys that somebody may see."""

    query: Tensor  # (heads, queries, width)
    key: Tensor  # (heads, keys, width)
    visible: Tensor  # (keys,)
    is_causal: bool

    def scores(self, head: int, first: int, stop: int) -> Tensor:
        """Scores of some rows of a head, -inf where the mask forbids."""
        scores = self.query[head, first:stop].float() @ self.key[head].float().T
        allowed = self.visible.expand_as(scores)
        if self.is_causal:
            allowed = allowed & (torch.arange(first, stop)[:, None] >= torch.arange(scores.shape[1]))
        return scores.masked_fill(~allowed, -torch.inf)


def saved_layer(pattern: Pattern, stored: Pyramid | None, layer: str) -> bytes:
    """The frame of one layer."""
    longest = max(pattern.shape[2:])
    if longest > LONGEST:
        raise RegardError(f"texts of at most {LONGEST} tokens can be saved to be explored, got {longest}")
    dot = saved_dot(pattern)
    return cell_frame(pattern, stored, layer) if dot is None else dot_frame(pattern, dot, layer)


def saved_dot(pattern: Pattern) -> SavedDot | None:
    """What the weights follow from, or None where that is more than queries, keys and who may be seen."""
    _, _, queries, keys = pattern.shape
    is_causal, rest = (False, None) if pattern.allowed is None else pattern.allowed.split(queries, keys)
    is_plain = type(pattern.score) is Dot and type(pattern.normaliser) is Softmax
    if not is_plain or pattern.bias is not None or pattern.fixed or not isinstance(rest, Padding | None):
        return None
    query = pattern.query[0].float() * row_scale(pattern)[:, None, None]
    visible = torch.ones(keys, dtype=torch.bool) if rest is None else rest.attention_mask[0].cpu()
    dot = SavedDot(query.half().cpu(), pattern.key[0].half().cpu(), visible, is_causal)
    return dot if bool(dot.query.isfinite().all() and dot.key.isfinite().all()) else None


def row_scale(pattern: Pattern) -> Tensor:
    """What the dot product of each head is multiplied by."""
    assert isinstance(pattern.score, Dot)
    scale = torch.full((pattern.shape[1],), pattern.score.factor(pattern.key.shape[-1]))
    return scale if pattern.inverse_temperature is None else scale * pattern.inverse_temperature.float().cpu()


def dot_frame(pattern: Pattern, dot: SavedDot, layer: str) -> bytes:
    _, heads, queries, keys = pattern.shape
    logsumexp, difference = torch.zeros(heads, queries), 0.0
    for head in range(heads):
        for first in range(0, queries, ROWS):
            stop = min(first + ROWS, queries)
            scores = dot.scores(head, first, stop)
            total = scores.logsumexp(-1, keepdim=True)
            total = torch.where(total.isfinite(), total, 0)  # a query that sees nothing
            logsumexp[head, first:stop] = total[:, 0]
            exact = pattern[0, head, first:stop].float().cpu()
            difference = max(difference, float(((scores - total).exp() - exact).abs().max()))
    about = {
        "kind": "dot",
        "width": pattern.key.shape[-1],
        "scale": row_scale(pattern).tolist(),
        "is_causal": dot.is_causal,
        "hidden": (~dot.visible).nonzero().flatten().tolist(),
        "difference": difference,
    }
    return frame(
        {"layer": layer, "heads": heads, "queries": queries, "keys": keys} | about, [logsumexp, dot.query, dot.key]
    )


def cell_frame(pattern: Pattern, stored: Pyramid | None, layer: str) -> bytes:
    if stored is None and pyramid.stored_level(pattern) is not None:
        raise NotYet(f"{layer} is not pooled yet")
    _, heads, queries, keys = pattern.shape
    cells = thumbnails(pattern, stored, "mean", TILE).cpu()
    kept = cells.half()
    _, rows, columns = kept.shape
    level = max(0, (max(queries, keys) - 1).bit_length() - TILE.bit_length() + 1)
    about = {"kind": "cells", "level": level, "rows": rows, "columns": columns}
    difference = float((kept.float() - cells).abs().max())
    return frame(
        {"layer": layer, "heads": heads, "queries": queries, "keys": keys, "difference": difference} | about, [kept]
    )
