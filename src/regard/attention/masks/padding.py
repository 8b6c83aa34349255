"""Positions that hold no token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.attention.masks.mask import Mask
from regard.errors import ShapeError, expect
from regard.shapes import Allowed, Columns, Rows


@dataclass(frozen=True, eq=False, repr=False)
class Padding(Mask):
    """Nobody looks at keys that are not real; whatever they hold, even NaN, changes nothing."""

    attention_mask: Bool[Tensor, "#batch keys"]

    def __post_init__(self) -> None:
        if self.attention_mask.dtype != torch.bool or self.attention_mask.ndim != 2:
            raise ShapeError(
                f"Padding takes bool of (batch, keys), True = a token, got {self.attention_mask.dtype} "
                f"of {tuple(self.attention_mask.shape)}"
            )

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[int] | Tensor,
        side: Literal["left", "right"] = "right",
        keys: int | None = None,
    ) -> "Padding":
        """One number of tokens per member of the batch, padded on one side up to `keys`."""
        counts = torch.as_tensor(lengths)
        longest = int(counts.max()) if counts.numel() else 0
        keys = longest if keys is None else keys
        if longest > keys or (counts < 0).any():
            raise ShapeError(f"lengths from 0 to {keys} expected, got {counts.tolist()}")
        if side not in ("left", "right"):
            raise ShapeError(f"padding stands on the 'left' or the 'right', got {side!r}")
        positions = torch.arange(keys, device=counts.device)
        counts = counts[:, None]
        return cls(positions < counts if side == "right" else positions >= keys - counts)

    @classmethod
    def example(cls, batch: int = 2, heads: int = 2, queries: int = 5, keys: int = 7) -> "Padding":
        """Each text one token shorter than the one before it."""
        return cls.from_lengths([max(keys - 1 - member, 0) for member in range(batch)], keys=keys)

    def tile(self, rows: Rows, columns: Columns) -> Allowed:
        return self.attention_mask[:, None, None, columns].expand(-1, -1, len(rows), -1)

    def part(self, batch: slice, heads: slice) -> Mask:
        return Padding(self.attention_mask[batch]) if len(self.attention_mask) > 1 else self

    def check(self, batch: int, heads: int, queries: int, keys: int) -> None:
        expect("Padding", "rows", len(self.attention_mask), batch, 1)
        expect("Padding", "positions", self.attention_mask.shape[1], keys)

    def __repr__(self) -> str:
        counts = self.attention_mask.sum(-1).tolist()
        shown = ", ".join(map(str, counts[:8])) + (", …" if len(counts) > 8 else "")
        return f"Padding({shown} tokens of {self.attention_mask.shape[1]})"


def padding(mask: Mask | None) -> Padding | None:
    """The padding in a mask: keys that no query at all may see."""
    from regard.attention.masks.algebra import And

    parts = mask.parts if isinstance(mask, And) else (mask,)
    return next((part for part in parts if isinstance(part, Padding)), None)


def positions_from_mask(mask: Mask | None, first: int, keys: int, device: torch.device) -> Int[Tensor, "#batch keys"]:
    """Where keys stand in their text, from the key `first` on, as the padding in a mask tells; -1 is padding."""
    hides = padding(mask)
    if hides is None:
        return torch.arange(first, first + keys, device=device)[None]
    return torch.where(hides.attention_mask, hides.attention_mask.cumsum(-1) - 1, -1)


def keys_at(
    wanted_positions: Sequence[int] | Tensor, positions: Int[Tensor, "#batch keys"]
) -> Bool[Tensor, "#batch keys"]:
    """Which keys stand at these positions of their text. Padding (-1) does not count; negative is from the end.

    A key that a cache has dropped is not there any more, and not missed. A bool tensor says of every key itself.
    """
    if isinstance(wanted_positions, Tensor) and wanted_positions.dtype == torch.bool:
        return wanted_positions
    tokens = torch.as_tensor(wanted_positions, dtype=torch.long, device=positions.device).reshape(-1)
    count = positions.amax(-1, keepdim=True) + 1 if positions.shape[-1] else positions.new_zeros(len(positions), 1)
    most = int(count.max()) if len(count) else 0
    for token in tokens.tolist():
        if not -most <= token < most:
            raise ShapeError(f"there is no token at position {token}: {most} of them, counted from 0")
    at = positions[..., None]
    return ((at == tokens) | (at == tokens + count[..., None])).any(-1) & (positions >= 0)
