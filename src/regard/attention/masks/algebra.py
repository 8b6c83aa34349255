"""Masks joined by and, or, not."""

from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from regard.attention.masks.causal import Causal
from regard.attention.masks.mask import Mask
from regard.attention.masks.padding import Padding
from regard.errors import expect
from regard.shapes import Allowed, Columns, Rows


@dataclass(frozen=True, repr=False)
class And(Mask):
    """Only where every part allows it."""

    parts: tuple[Mask, ...]

    @classmethod
    def of(cls, *masks: Mask) -> Mask:
        """The same, flat, and with all paddings in one, so that the kernel can take it."""
        parts = [part for mask in masks for part in (mask.parts if isinstance(mask, And) else (mask,))]
        paddings = [part for part in parts if isinstance(part, Padding)]
        for padding in paddings[1:]:
            expect("Padding", "positions", padding.attention_mask.shape[1], paddings[0].attention_mask.shape[1])
        others = dict.fromkeys(part for part in parts if not isinstance(part, Padding))
        together = [Padding(reduce(and_, (padding.attention_mask for padding in paddings)))] if paddings else []
        joined = (*others, *together)
        return joined[0] if len(joined) == 1 else cls(joined)

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        return reduce(and_, (part.tile(rows, columns) for part in self.parts))

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        starts, stops = zip(*(part.span(first, last, keys) for part in self.parts), strict=True)
        return max(starts), min(stops)

    def free(self, first: int, last: int, keys: int) -> tuple[int, int]:
        starts, stops = zip(*(part.free(first, last, keys) for part in self.parts), strict=True)
        return max(starts), min(stops)

    def split(self, queries: int, keys: int) -> tuple[bool, Mask | None]:
        is_causal, rest = False, []
        for part in self.parts:
            claim, left = part.split(queries, keys) if isinstance(part, Causal) else (False, part)
            is_causal |= claim
            rest += [left] if left else []
        return is_causal, And.of(*rest) if rest else None

    def part(self, batch: slice, heads: slice) -> Mask:
        return And(tuple(part.part(batch, heads) for part in self.parts))

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        for part in self.parts:
            part.check(batch, heads, queries, keys)

    def __repr__(self) -> str:
        return " & ".join(f"({part!r})" if isinstance(part, Or) else repr(part) for part in self.parts)


@dataclass(frozen=True, repr=False)
class Or(Mask):
    """Where any part allows it."""

    parts: tuple[Mask, ...]

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        return reduce(or_, (part.tile(rows, columns) for part in self.parts))

    def span(self, first: int, last: int, keys: int) -> tuple[int, int]:
        starts, stops = zip(*(part.span(first, last, keys) for part in self.parts), strict=True)
        return min(starts), max(stops)

    def part(self, batch: slice, heads: slice) -> Mask:
        return Or(tuple(part.part(batch, heads) for part in self.parts))

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        for part in self.parts:
            part.check(batch, heads, queries, keys)

    def __repr__(self) -> str:
        return " | ".join(f"({part!r})" if isinstance(part, And) else repr(part) for part in self.parts)


@dataclass(frozen=True, repr=False)
class Not(Mask):
    """Where the inner mask forbids it."""

    mask: Mask

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        return ~self.mask.tile(rows, columns)

    def part(self, batch: slice, heads: slice) -> Mask:
        return Not(self.mask.part(batch, heads))

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        self.mask.check(batch, heads, queries, keys)

    def __repr__(self) -> str:
        inner = self.mask
        return f"~({inner!r})" if isinstance(inner, And | Or) else f"~{inner!r}"
