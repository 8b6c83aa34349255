"""Texts of like length side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from regard.shapes import AttentionMask, Tokens
from regard.text.encoded import Encoded

BATCH_TOKENS = 4096  # tokens in a batch, padding included


@dataclass(frozen=True, eq=False)
class Batch:
    """Some texts as tensors, padded to the longest. `rows` says which texts they are."""

    tokens: Tokens
    attention_mask: AttentionMask
    segments: Tokens
    rows: tuple[int, ...]


def batches(
    texts: Sequence[Encoded],
    *,
    pad: int | None = None,
    side: Literal["left", "right"] = "right",
    batch_tokens: int = BATCH_TOKENS,
    device: torch.device | str = "cpu",
) -> Iterator[Batch]:
    """All texts, the longest first, so many at a time as there is room for. Nothing looks at `pad`."""
    waiting = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
    while waiting:
        width = max(1, len(texts[waiting[0]]))
        count = max(1, batch_tokens // width)
        rows, waiting = waiting[:count], waiting[count:]
        yield pad_batch([texts[row] for row in rows], tuple(rows), pad or 0, side, device)


def pad_batch(
    texts: Sequence[Encoded],
    rows: tuple[int, ...],
    pad: int,
    side: Literal["left", "right"],
    device: torch.device | str,
) -> Batch:
    """One batch of the texts given."""
    width = max(len(text) for text in texts)
    tokens = torch.full((len(texts), width), pad)
    segments = torch.zeros(len(texts), width, dtype=torch.long)
    attention_mask = torch.zeros(len(texts), width, dtype=torch.bool)
    for row, text in enumerate(texts):
        here = slice(0, len(text)) if side == "right" else slice(width - len(text), width)
        tokens[row, here] = torch.tensor(text.ids, dtype=torch.long)
        segments[row, here] = torch.tensor(text.segments, dtype=torch.long)
        attention_mask[row, here] = True
    return Batch(tokens.to(device), attention_mask.to(device), segments.to(device), rows)
