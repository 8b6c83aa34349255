"""The patterns of decoding steps, put together."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import torch
import torch.nn.functional as F

from regard.attention.masks import Causal
from regard.attention.pattern import Pattern
from regard.attention.taps import Tap, Taps
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
    places = [step.query_positions.expand(len(step.query), -1) for step in steps if step.query_positions is not None]
    whole = replace(
        last,
        query=torch.cat([step.query for step in steps], 2),
        mask=mask,
        fixed=tuple(fixed),
        summary=tuple(torch.cat(parts, 2) for parts in zip(*summaries, strict=True)),
        query_positions=torch.cat(places, 1) if len(places) == len(steps) else None,
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


class Together(Tap):
    """Stands for other taps in a loop of one query a call: edits name the rows of all calls, and all is seen at once.

    For models that have to know what a query gathered before they can ask the next one.
    """

    def __init__(self, taps: Taps, count: int) -> None:
        self.taps, self.count = taps, count
        self.steps: list[Pattern] = []

    def edit(self, pattern: Pattern) -> Pattern:
        places = pattern.query_positions
        if places is not None:
            places = places - len(self.steps) + torch.arange(self.count, device=places.device)
        whole = replace(pattern, query=pattern.query.expand(-1, -1, self.count, -1), query_positions=places)
        for tap in self.taps:
            whole = tap.edit(whole)
        return row(whole, len(self.steps))

    def see(self, pattern: Pattern) -> None:
        self.steps.append(pattern)
        if len(self.steps) == self.count:
            whole = joined(self.steps)
            for tap in self.taps:
                tap.see(whole)


def row(whole: Pattern, number: int) -> Pattern:
    """One query of a pattern, with what was set by hand for it."""
    mine = slice(number, number + 1)
    fixed = [
        replace(fixed, rows=(0,), weights=fixed.weights[:, :, [fixed.rows.index(number)]])
        for fixed in whole.fixed
        if number in fixed.rows
    ]
    places = None if whole.query_positions is None else whole.query_positions[:, mine]
    return replace(whole, query=whole.query[:, :, mine], fixed=tuple(fixed), summary=None, query_positions=places)
