"""Whether the parts of a call fit together."""

from typing import TYPE_CHECKING

from regard.attention.masks import Padding
from regard.errors import ShapeError, expect

if TYPE_CHECKING:
    from regard.attention.pattern import Pattern


def check(pattern: "Pattern") -> None:
    """Raise ShapeError, in one line, unless everything fits together."""
    query, key, value = pattern.query, pattern.key, pattern.value
    named = {"query": query, "key": key, "value": value}
    for name, tensor in named.items():
        if tensor is not None and tensor.ndim != 4:
            raise ShapeError(f"{name} is (batch, heads, length, width), got {tuple(tensor.shape)}")
        if not query.is_floating_point():
            raise ShapeError(f"query is {query.dtype}, expected floating-point numbers")
        if tensor is not None and tensor.dtype != query.dtype:
            raise ShapeError(f"{name} is {tensor.dtype}, expected {query.dtype} as the query is")
    batch, heads, queries, keys = pattern.shape
    expect("key", "batch members", key.shape[0], batch)
    if not key.shape[1] or heads % key.shape[1]:
        raise ShapeError(f"key has {key.shape[1]} heads, which cannot be shared evenly by {heads} query heads")
    if value is not None:
        expect("value", "batch members", value.shape[0], batch)
        expect("value", "heads", value.shape[1], key.shape[1])
        expect("value", "positions", value.shape[2], keys)
    pattern.score.check(query.shape, key.shape)
    for part in (pattern.mask, pattern.bias):
        if part is not None:
            part.check(batch, heads, queries, keys)
    for name, positions, count in (
        ("query_positions", pattern.query_positions, queries),
        ("key_positions", pattern.key_positions, keys),
    ):
        if positions is not None:
            expect(name, "positions", positions.shape[-1], count)
    if pattern.hidden is not None:
        Padding(pattern.hidden).check(batch, heads, queries, keys)
