"""Texts of like length side by side, as tensors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.shapes import AttentionMask, Tokens
from regard.text.batching import BATCH_TOKENS, ArrayBatch, Side, array_batches, array_rows
from regard.text.encoded import Encoded

__all__ = ["BATCH_TOKENS", "Batch", "batches", "pad_rows"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Some texts as tensors, padded to the longest. `rows` says which texts they are."""

    tokens: Tokens
    attention_mask: AttentionMask
    segments: Tokens
    rows: tuple[int, ...]

    @classmethod
    def of(cls, batch: ArrayBatch, device: torch.device | str = "cpu") -> "Batch":
        tokens, attention_mask, segments = (
            torch.from_numpy(array).to(device) for array in (batch.tokens, batch.attention_mask, batch.segments)
        )
        return cls(tokens, attention_mask, segments, batch.rows)


def batches(
    texts: Sequence[Encoded],
    *,
    pad: int | None = None,
    side: Side = "right",
    batch_tokens: int = BATCH_TOKENS,
    device: torch.device | str = "cpu",
) -> Iterator[Batch]:
    """All texts, the longest first, so many at a time as there is room for. Nothing looks at `pad`."""
    for batch in array_batches(texts, pad=pad, side=side, batch_tokens=batch_tokens):
        yield Batch.of(batch, device)


def pad_rows(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor | None]:
    """Tokens padded on the right, and which are real; None where all are."""
    tokens, attention_mask = array_rows(rows)
    mask = None if attention_mask is None else torch.from_numpy(attention_mask).to(device)
    return torch.from_numpy(tokens).to(device), mask
