"""The patterns of decoding steps, put together."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import torch
import torch.nn.functional as F

from regard.attention.masks import Causal
from regard.attention.pattern import Pattern
from regard.errors import RegardError, ShapeError


def joined(steps: Sequence[Pattern]) -> Pattern:
    """One pattern with the queries of every step; keys grow with the queries, or stay."""
    if not steps:
        raise ShapeError("there are no steps to join")
    last, keys = steps[-1], [step.shape[3] for step in steps]
    before = keys[0] - steps[0].shape[2]
    ends = list(accumulate((step.shape[2] for step in steps), initial=before))[1:]
    if keys != ends and len(set(keys)) > 1:
        raise ShapeError(f"keys that stay, or grow by the queries of each step, expected, got {keys} keys")
    mask = last.mask
    if len(steps) > 1 and keys == ends:
        mask = Causal() & mask if mask else Causal()
    firsts = [end - before - step.shape[2] for step, end in zip(steps, ends, strict=True)]
    fixed = [
        replace(
            fixed,
            rows=tuple(row + first for row in fixed.rows),
            weights=F.pad(fixed.weights, (0, keys[-1] - fixed.weights.shape[-1])),
        )
        for step, first in zip(steps, firsts, strict=True)
        for fixed in step.fixed
    ]
    summaries = [step.known for step in steps]
    whole = replace(
        last,
        query=torch.cat([step.query for step in steps], 2),
        mask=mask,
        fixed=tuple(fixed),
        summary=tuple(torch.cat(parts, 2) for parts in zip(*summaries, strict=True)),
    )
    for number in {0, max(len(steps) - 2, 0)}:
        check(whole, steps[number], firsts[number])
    return whole


def check(whole: Pattern, step: Pattern, first: int) -> None:
    """Raise RegardError unless a step's first query looks at the keys in the whole as it did in the step."""
    if 0 in step.shape:
        return
    columns = slice(0, step.shape[3])
    alone, among = step.scores(slice(0, 1), columns), whole.scores(slice(first, first + 1), columns)
    if not torch.allclose(alone, among, rtol=1e-3, atol=1e-3, equal_nan=True):
        raise RegardError(
            "steps in which every query looks as it would in the whole expected, got a mask, bias or score that "
            "differs: a prompt that sees ahead, keys that stay while places count, or a mask written out in full"
        )
