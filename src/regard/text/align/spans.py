"""Spans of one text carried over to another, along its alignment."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Range = tuple[int, int]
"""Words from the first to before the second; none where the two are equal."""


@dataclass(frozen=True)
class Span:
    """Words of the source, `parent` the number of the span around them, -1 for none. Parents come first."""

    first: int
    last: int
    parent: int = -1


def carry_spans(spans: Sequence[Span], looks: np.ndarray) -> list[Range]:
    """Where each span is in the target: within its parent, beside its siblings, none crossing.

    A span that holds all that its parent holds still does. Any other is the run of words in which those that look into
    it outnumber the others most; where no word looks into it more than elsewhere, the one that does so most. A span
    without words stands before the word that looks at the one after it.
    """
    return SpanCarrier(looks).all(spans)


class SpanCarrier:
    """Spans that find their ranges one after the other. `owner` is the innermost one around each target word."""

    size: int
    source: int

    def __init__(self, looks: np.ndarray) -> None:
        self.looks = looks
        self.size, self.source = looks.shape
        self.partner: list[int | None] = [None] * self.size
        if looks.size:
            most = zip(looks.argmax(-1).tolist(), looks.max(-1).tolist(), strict=True)
            self.partner = [column if weight > 0 else None for column, weight in most]
        self.owner: list[int] = [-1] * self.size

    def all(self, spans: Sequence[Span]) -> list[Range]:
        ranges: dict[int, Range] = {-1: (0, self.size)}
        whole = Span(0, self.source)
        for number, span in enumerate(spans):
            outer = whole if span.parent < 0 else spans[span.parent]
            if span.first < span.last and span.parent in ranges:
                span_range = self.place_span(span, outer, ranges[span.parent])
                if span_range is not None:
                    ranges[number] = span_range
                    self.owner[slice(*span_range)] = [number] * (span_range[1] - span_range[0])
        for number, span in enumerate(spans):  # those without words find theirs among those that have some
            if number not in ranges:
                outer = whole if span.parent < 0 else spans[span.parent]
                at = self.point(span, outer, ranges[span.parent])
                ranges[number] = self.beside(at, span.parent, spans, ranges)
        return [ranges[number] for number in range(len(spans))]

    def place_span(self, span: Span, outer: Span, room: Range) -> Range | None:
        """A run of words that nobody but the parent has; None where there is none."""
        free = [position for position in range(*room) if self.owner[position] == span.parent]
        if not free:
            return None
        if (span.first, span.last) == (outer.first, outer.last) and len(free) == room[1] - room[0]:
            return room
        best, best_range, total, begin = 0, None, 0, free[0]
        for before, position in zip([None, *free], free, strict=False):
            partner = self.partner[position]
            if total < 0 or before != position - 1:
                total, begin = 0, position
            total += 1 if partner is not None and span.first <= partner < span.last else -1
            if total > 0 and total >= best:
                best, best_range = total, (begin, position + 1)
        if best_range is None:
            into = self.looks[free, span.first : span.last].sum(-1)
            position = free[int(into.argmax())]
            best_range = (position, position + 1) if into.max() > 0 else None
        return best_range

    def point(self, span: Span, outer: Span, room: Range) -> int:
        """Before which word a span without words stands."""
        inside = range(*room)
        after = (
            [position for position in inside if self.partner[position] == span.last] if span.last < outer.last else []
        )
        if after:
            return after[0]
        before = (
            [position for position in inside if self.partner[position] == span.first - 1]
            if span.first > outer.first
            else []
        )
        if before:
            return before[-1] + 1
        return room[0] if span.first <= outer.first else room[1]

    def beside(self, at: int, parent: int, spans: Sequence[Span], ranges: dict[int, Range]) -> Range:
        """The same index, or the end of the sibling that is around it."""
        if 0 < at < self.size:
            number = self.owner[at]
            while number != parent and number >= 0 and spans[number].parent != parent:
                number = spans[number].parent
            if number != parent and number >= 0 and ranges[number][0] < at:
                at = ranges[number][1]
        return at, at
