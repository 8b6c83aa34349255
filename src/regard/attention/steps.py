"""The patterns of decoding steps, put together."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.attention.biases import Bias, DenseBias
from regard.attention.masks import Causal, DenseMask, Mask, Padding
from regard.attention.masks.algebra import And
from regard.attention.masks.padding import padding
from regard.attention.pattern import Pattern
from regard.attention.taps import Tap, Taps
from regard.errors import RegardError, ShapeError


def join_steps(steps: Sequence[Pattern]) -> Pattern:
    """One pattern with the queries of every step; keys grow with the queries, or stay.

    Keys that a cache has dropped by and by (sliding windows) are there again, seen by those who saw them.
    """
    if not steps:
        raise ShapeError("there are no steps to join")
    steps = list(steps)
    last, ends = steps[-1], [step.first_key + step.shape[3] for step in steps]
    grown = list(accumulate((step.shape[2] for step in steps), initial=ends[0] - steps[0].shape[2]))[1:]
    if ends != grown and len(set(ends)) > 1:
        raise ShapeError(f"keys that stay, or grow by the queries of each step, expected, got {ends} keys")
    before = grown[0] - steps[0].shape[2]
    firsts = [end - before - step.shape[2] for step, end in zip(steps, grown, strict=True)]
    start = steps[0].first_key
    fixed = [
        replace(
            fixed,
            rows=tuple(row + first for row in fixed.rows),
            weights=F.pad(fixed.weights, (step.first_key - start, ends[-1] - end)),
        )
        for step, first, end in zip(steps, firsts, ends, strict=True)
        for fixed in step.fixed
    ]
    summaries = [step.statistics for step in steps]
    positions = [step.query_positions.expand(len(step.query), -1) for step in steps if step.query_positions is not None]
    whole = replace(
        last,
        query=torch.cat([step.query for step in steps], 2),
        key=concatenate_growing([(step.key, step.first_key) for step in steps], start),
        value=None
        if last.value is None
        else concatenate_growing([(step.values, step.first_key) for step in steps], start),
        mask=mask_of(steps, ends == grown, start),
        bias=bias_of(steps, start),
        hidden=hidden_of(steps, start),
        fixed=tuple(fixed),
        row_statistics=tuple(torch.cat(parts, 2) for parts in zip(*summaries, strict=True)),
        query_positions=torch.cat(positions, 1) if len(positions) == len(steps) else None,
        key_positions=key_positions_of(steps, start),
        first_key=start,
    )
    for number in {0, max(len(steps) - 2, 0)}:
        check(whole, steps[number], firsts[number])
    return whole


def concatenate_growing(parts: Sequence[tuple[Tensor, int]], start: int, dim: int = 2) -> Tensor:
    """What steps had of a growing row, each from a position on, put together from `start` on."""
    parts_kept = [parts[-1][0].narrow(dim, 0, 0)]
    end = start
    for tensor, first in parts:
        if first + tensor.shape[dim] > end:
            parts_kept.append(tensor.narrow(dim, end - first, first + tensor.shape[dim] - end))
            end = first + tensor.shape[dim]
    return parts[-1][0] if parts[-1][1] == start else torch.cat(parts_kept, dim)


def key_positions_of(steps: Sequence[Pattern], start: int) -> Tensor | None:
    """Where all keys stand in their texts, if that does not follow from the mask."""
    if steps[-1].first_key == start:
        return steps[-1].key_positions
    batch = len(steps[-1].query)
    return concatenate_growing([(step.positions.expand(batch, -1), step.first_key) for step in steps], start, dim=1)


def hidden_of(steps: Sequence[Pattern], start: int) -> Tensor | None:
    """Keys taken away by hand in any of the steps that saw them."""
    if steps[-1].first_key == start or all(step.hidden is None for step in steps):
        return steps[-1].hidden
    batch = len(steps[-1].query)
    none = [torch.zeros(1, step.shape[3], dtype=torch.bool, device=step.query.device) for step in steps]
    rows = [blank if step.hidden is None else step.hidden for step, blank in zip(steps, none, strict=True)]
    parts = [(row.expand(batch, -1), step.first_key) for row, step in zip(rows, steps, strict=True)]
    return concatenate_growing(parts, start, dim=1)


def mask_of(steps: Sequence[Pattern], grows: bool, start: int) -> Mask | None:
    """What the queries of all steps may see: written out where steps saw different parts of the text."""
    last = steps[-1]
    if len(steps) == 1 or not grows:
        return last.mask
    if not any(step.first_key > start or isinstance(step.mask, DenseMask | And) for step in steps[1:]):
        return Causal() & last.mask if last.mask else Causal()
    keys = last.first_key + last.shape[3] - start
    rows = []
    for step in steps:
        at, size = step.first_key - start, step.shape
        columns = torch.arange(size[3], device=step.query.device)
        seen = torch.ones(1, 1, size[2], size[3], dtype=torch.bool, device=step.query.device)
        if step.mask is not None:
            seen = step.mask.tile(columns[size[3] - size[2] :], columns)
        row = F.pad(seen.expand(size[0], seen.shape[1], size[2], size[3]), (at, keys - at - size[3]))
        rows.append(row)
    heads = max(row.shape[1] for row in rows)
    return with_padding(DenseMask(torch.cat([row.expand(-1, heads, -1, -1) for row in rows], 2)), steps, start)


def with_padding(mask: Mask, steps: Sequence[Pattern], start: int) -> Mask:
    """The same, with the padding that the steps know of said by itself."""
    paddings = [padding(step.mask) for step in steps]
    if not any(paddings):
        return mask
    batch = len(steps[-1].query)
    there = [
        torch.ones(batch, step.shape[3], dtype=torch.bool, device=step.query.device)
        if hides is None
        else hides.attention_mask.expand(batch, -1)
        for step, hides in zip(steps, paddings, strict=True)
    ]
    attention_mask = concatenate_growing(
        [(row, step.first_key) for row, step in zip(there, steps, strict=True)], start, dim=1
    )
    return mask & Padding(attention_mask)


def bias_of(steps: Sequence[Pattern], start: int) -> Bias | None:
    """What is added in all steps: written out where the steps had it written out."""
    last = steps[-1]
    if len(steps) == 1 or not isinstance(last.bias, DenseBias):
        return last.bias
    keys = last.first_key + last.shape[3] - start
    rows = []
    for step in steps:
        assert isinstance(step.bias, DenseBias)
        at, numbers = step.first_key - start, step.bias.numbers
        numbers = numbers.expand(len(step.query), -1, step.shape[2], -1)
        rows.append(F.pad(numbers, (at, keys - at - step.shape[3])))
    return DenseBias(torch.cat(rows, 2))


def check(whole: Pattern, step: Pattern, first: int) -> None:
    """Raise RegardError unless a step's first query looks at the keys in the whole as it did in the step."""
    if 0 in step.shape:
        return
    at = step.first_key - whole.first_key
    alone = step.scores(slice(0, 1), slice(0, step.shape[3]))
    among = whole.scores(slice(first, first + 1), slice(at, at + step.shape[3]))
    if not torch.allclose(alone, among, rtol=1e-3, atol=1e-3, equal_nan=True):
        raise RegardError(
            "steps in which every query looks as it would in the whole expected, got a mask, bias or score that "
            "differs: a prompt that sees ahead, keys that stay while positions count, or a mask written out in full"
        )


class StepwiseTap(Tap):
    """Stands for other taps in a loop of one query a call: edits name the rows of all calls, and all is seen at once.

    For models that have to know what a query gathered before they can ask the next one.
    """

    taps: Taps
    count: int

    def __init__(self, taps: Taps, count: int) -> None:
        self.taps, self.count = taps, count
        self.steps: list[Pattern] = []

    def edit(self, pattern: Pattern) -> Pattern:
        positions = pattern.query_positions
        if positions is not None:
            positions = positions - len(self.steps) + torch.arange(self.count, device=positions.device)
        whole = replace(pattern, query=pattern.query.expand(-1, -1, self.count, -1), query_positions=positions)
        for tap in self.taps:
            whole = tap.edit(whole)
        return row(whole, len(self.steps))

    def see(self, pattern: Pattern) -> None:
        self.steps.append(pattern)
        if len(self.steps) == self.count:
            whole = join_steps(self.steps)
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
    positions = None if whole.query_positions is None else whole.query_positions[:, mine]
    return replace(
        whole, query=whole.query[:, :, mine], fixed=tuple(fixed), row_statistics=None, query_positions=positions
    )
