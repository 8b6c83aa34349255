"""What a model knows in the middle of a text."""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool
from torch import Tensor

from regard.layers import BlockCache
from regard.shapes import Real, Stream, Tokens


@dataclass(frozen=True, eq=False)
class State:
    """The tokens read so far, as keys and values, and the source that is being looked at.

    The caches grow and move in place: a state that was stepped on or selected from is not for use again. Keys and
    values of a source are there once for as many members of the batch in a row as `shared` says: its beams.
    """

    caches: tuple[BlockCache, ...]
    real: Bool[Tensor, "batch keys"] | None = None  # of the tokens read so far
    source: Stream | None = None  # until its keys and values are in the caches
    source_real: Real | None = None
    shared: int = 1

    @property
    def length(self) -> int:
        return self.caches[0].self.length

    def read(self, count: int, real: Real | None) -> "State":
        """The same with `count` more tokens, of which `real` says which are no padding."""
        if real is None and self.real is None:
            return self
        rows = len(real if real is not None else self.real)  # type: ignore[arg-type]
        device = (real if real is not None else self.real).device  # type: ignore[union-attr]
        old = torch.ones(rows, self.length, dtype=torch.bool, device=device) if self.real is None else self.real
        new = torch.ones(rows, count, dtype=torch.bool, device=device) if real is None else real
        return replace(self, real=torch.cat([old, new], 1))

    def looked(self) -> "State":
        """The same after the first look at the source: what is needed of it is remembered."""
        return self if self.source is None else replace(self, source=None)

    def select(self, rows: Tensor) -> "State":
        """Reorder, repeat and drop members of the batch at once."""
        sources, shared = None, self.shared
        if self.caches and (key := self.caches[0].cross.key) is not None:
            sources, shared = grouped(rows, self.shared, len(key))
        for cache in self.caches:
            cache.select(rows, sources)
        return State(
            self.caches,
            None if self.real is None else self.real[rows],
            None if self.source is None else self.source[rows],
            None if self.source_real is None else self.source_real[rows],
            shared,
        )


def grouped(rows: Tensor, shared: int, count: int) -> tuple[Tensor | None, int]:
    """The sources of these members and how many in a row share each; None: all there are, in their order."""
    sources = rows.cpu() // shared
    _, runs = torch.unique_consecutive(sources, return_counts=True)
    many = math.gcd(*runs.tolist()) or 1
    sources = sources[::many]
    same = len(sources) == count and torch.equal(sources, torch.arange(count))
    return None if same else sources.to(rows.device), many


def packed(tokens: Tokens, real: Real | None) -> tuple[Tokens, Real | None]:
    """The same texts with all padding on their left, so that each ends at the last column."""
    if real is None:
        return tokens, None
    order = real.int().argsort(dim=-1, stable=True)
    return tokens.gather(-1, order), real.gather(-1, order)


def empty(layers: int) -> tuple[BlockCache, ...]:
    return tuple(BlockCache() for _ in range(layers))
