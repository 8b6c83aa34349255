"""The look of one who writes at what was read."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention import Cache, LearnedScore, Mask, attend
from regard.attention.masks.padding import padding
from regard.attention.scores import Local
from regard.attention.steps import StepwiseTap
from regard.attention.taps import Taps, active, active_taps
from regard.errors import ShapeError, expect
from regard.layers.multihead import MultiHead, Source, fold_beams, unfold_beams
from regard.shapes import Positions, Stream

Lengths = Int[Tensor, "sources"]
Centres = Float[Tensor, "batch length"]


class Monotonic(nn.Module):
    """Look around the position in the source that one has come to in the target, its last one at most: *local-m*."""

    fades = False

    def __init__(self, width: int) -> None:
        super().__init__()

    def forward(self, x: Stream, positions: Positions, lengths: Lengths) -> Centres:
        return torch.minimum(positions, lengths[:, None] - 1).to(x.dtype).expand(x.shape[:2])


class Predictive(nn.Module):
    """Learn where to look, as a share of the source, and look less and less around it: *local-p*, eq. 9."""

    fades = True

    hidden: nn.Linear
    share: nn.Linear

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, width, bias=False)
        self.share = nn.Linear(width, 1, bias=False)

    def forward(self, x: Stream, positions: Positions, lengths: Lengths) -> Centres:
        return lengths[:, None] * torch.sigmoid(self.share(torch.tanh(self.hidden(x)))).squeeze(-1)


LOCAL: dict[str, type[Monotonic] | type[Predictive]] = {"monotonic": Monotonic, "predictive": Predictive}
"""Ways to choose the part of a source that is looked at: Luong et al. 2015, 3.2."""


class AlignmentAttention(nn.Module):
    """One look at a source whose vectors are the values, as they are: Bahdanau et al. 2015, Luong et al. 2015.

    `compare` is one of SCORES, of one head. With `centre` only what is within `reach` of a position is looked at.
    """

    taps: Taps = ()

    score: LearnedScore
    centre: Monotonic | Predictive | None
    reach: int

    def __init__(self, score: LearnedScore, centre: Monotonic | Predictive | None = None, reach: int = 10) -> None:
        super().__init__()
        self.score, self.centre, self.reach = score, centre, reach

    def forward(
        self,
        x: Stream,
        source: Source | None = None,
        *,
        mask: Mask | None = None,
        positions: Positions | None = None,
        cache: Cache | None = None,
    ) -> Float[Tensor, "batch length source_width"]:
        """What each vector gathers. A cache holds the keys: they are made of a source once.

        Where it holds fewer sources than there are members in the batch, as many in a row look at the same one.
        """
        key, value = self.remembered(source, mask, cache)
        query, score = self.score.query(x[:, None]), self.score.score(x.shape[1], key.shape[2])
        beams = len(x) // len(key) if 0 < len(key) < len(x) else 1
        if self.centre is not None:
            if positions is None:
                raise ShapeError("a local look has to know the positions of those who look")
            where = self.centre(x, positions, lengths_of(mask, len(x), key))
            query, score = torch.cat([query, where[:, None, :, None]], -1), Local(score, self.reach, self.centre.fades)
        taps = active_taps(self.taps) if self.taps else ()
        if beams > 1 and taps:  # who looks there wants to see every member
            key, value, beams = key.repeat_interleave(beams, 0), value.repeat_interleave(beams, 0), 1
        elif beams > 1:
            query, mask = fold_beams(query, beams), mask and mask.part(slice(None, None, beams), slice(None))
        output = attend(query, key, value, score=score, mask=mask, taps=taps, positions=positions if taps else None)
        return (unfold_beams(output, beams) if beams > 1 else output)[:, 0]

    def remembered(self, source: Tensor | None, mask: Mask | None, cache: Cache | None) -> tuple[Tensor, Tensor]:
        """Keys and values, those of the cache where it has them."""
        if cache is not None and cache.key is not None and cache.value is not None:
            return cache.key, cache.value
        if source is None:
            raise ShapeError("this layer looks at a source, and none was given")
        value = source[:, None]
        key = self.score.key(value)
        if self.centre is not None:
            padded = padding(mask)
            attention_mask = (
                torch.ones_like(source[..., 0], dtype=torch.bool) if padded is None else padded.attention_mask
            )
            expect("the mask", "rows", len(attention_mask), len(source))
            key = torch.cat([key, (attention_mask.cumsum(-1) - 1).to(key.dtype)[:, None, :, None]], -1)
        return (key, value) if cache is None else cache.fill(key, value)


def lengths_of(mask: Mask | None, count: int, key: Tensor) -> Lengths:
    """How many real keys each of those who look has."""
    padded = padding(mask)
    return torch.full((count,), key.shape[2], device=key.device) if padded is None else padded.attention_mask.sum(-1)


@contextmanager
def stepwise(
    layer: AlignmentAttention | MultiHead | None, steps: int
) -> Iterator[AlignmentAttention | MultiHead | None]:
    """The layer for a loop of so many calls, which those who look or edit there are to take for one."""
    taps = active_taps(layer.taps) if layer is not None and layer.taps else ()
    if layer is None or not taps or steps == 1:
        yield layer
        return
    tap = StepwiseTap(taps, steps)
    other = copy.copy(layer)  # its parameters are shared; the layer itself stays untouched
    other.taps = (tap,)
    with active(tap):
        yield other
