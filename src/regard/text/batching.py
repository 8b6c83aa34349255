"""Texts of like length side by side, as arrays."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from regard.text.encoded import Encoded

BATCH_TOKENS = 4096  # tokens in a batch, padding included
Side = Literal["left", "right"]


@dataclass(frozen=True, eq=False)
class ArrayBatch:
    """Some texts, padded to the longest: tokens and segments, int64, and which are no padding. `rows` says which texts
    they are."""

    tokens: np.ndarray
    attention_mask: np.ndarray
    segments: np.ndarray
    rows: tuple[int, ...]


def array_batches(
    texts: Sequence[Encoded], *, pad: int | None = None, side: Side = "right", batch_tokens: int = BATCH_TOKENS
) -> Iterator[ArrayBatch]:
    """All texts, the longest first, so many at a time as there is room for. Nothing looks at `pad`."""
    waiting = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
    while waiting:
        width = max(1, len(texts[waiting[0]]))
        count = max(1, batch_tokens // width)
        rows, waiting = waiting[:count], waiting[count:]
        yield array_batch([texts[row] for row in rows], tuple(rows), pad or 0, side)


def array_batch(texts: Sequence[Encoded], rows: tuple[int, ...], pad: int, side: Side) -> ArrayBatch:
    """One batch of the texts given."""
    width = max(len(text) for text in texts)
    shape = len(texts), width
    tokens, segments = np.full(shape, pad, np.int64), np.zeros(shape, np.int64)
    attention_mask = np.zeros(shape, np.bool_)
    for row, text in enumerate(texts):
        here = slice(0, len(text)) if side == "right" else slice(width - len(text), width)
        tokens[row, here] = text.ids
        segments[row, here] = text.segments
        attention_mask[row, here] = True
    return ArrayBatch(tokens, attention_mask, segments, rows)


def array_rows(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray | None]:
    """Tokens padded on the right, and which are real; None where all are."""
    width = max(map(len, rows))
    tokens = np.array([[*row, *[0] * (width - len(row))] for row in rows], np.int64).reshape(len(rows), width)
    if all(len(row) == width for row in rows):
        return tokens, None
    return tokens, np.arange(width) < np.array([len(row) for row in rows])[:, None]
