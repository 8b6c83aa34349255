"""What a model knows in the middle of a text."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool
from torch import Tensor

from regard.layers import BlockCache
from regard.shapes import Real, Stream, Tokens


@dataclass(frozen=True, eq=False)
class State:
    """The tokens read so far, as keys and values, and the source that is being looked at.

    The caches grow in place: a state that was stepped on from is not for use again.
    """

    caches: tuple[BlockCache, ...]
    real: Bool[Tensor, "batch keys"] | None = None  # of the tokens read so far
    source: Stream | None = None
    source_real: Real | None = None

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

    def select(self, rows: Tensor) -> "State":
        """Reorder, repeat and drop members of the batch at once."""
        return State(
            tuple(cache.select(rows) for cache in self.caches),
            None if self.real is None else self.real[rows],
            None if self.source is None else self.source[rows],
            None if self.source_real is None else self.source_real[rows],
        )


def packed(tokens: Tokens, real: Real | None) -> tuple[Tokens, Real | None]:
    """The same texts with all padding on their left, so that each ends at the last column."""
    if real is None:
        return tokens, None
    order = real.int().argsort(dim=-1, stable=True)
    return tokens.gather(-1, order), real.gather(-1, order)


def empty(layers: int) -> tuple[BlockCache, ...]:
    return tuple(BlockCache() for _ in range(layers))
