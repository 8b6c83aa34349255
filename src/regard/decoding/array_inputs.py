"""What a caller gives a model whose steps take arrays, checked."""

from typing import Any

import numpy as np

from regard.decoding.request import RequestInputs
from regard.errors import ArgumentError, ShapeError, expect


def array_inputs(
    model: Any, source: object, prefix: object, attention_mask: object, prefix_attention_mask: object
) -> RequestInputs:
    """The same tokens and masks as int64 and bool, row after row. What the vocabulary lacks, the engine refuses."""
    if (source is None) == model.has_source:
        raise ArgumentError("source is None, and the model reads one" if source is None else "source is not read here")
    tokens = token_array("prefix", prefix)
    if not tokens.shape[1]:
        raise ShapeError(f"prefix is of {tokens.shape}: at least one token to begin with expected")
    read = None if source is None else token_array("source", source)
    if read is not None:
        expect("prefix", "rows", len(tokens), len(read))
    source_mask = None if read is None or attention_mask is None else mask_array(attention_mask, read)
    mask = None if prefix_attention_mask is None else mask_array(prefix_attention_mask, tokens)
    if mask is not None and not mask.any(1).all():
        row = int(mask.any(1).argmin())
        raise ArgumentError(f"prefix_attention_mask hides every token of row {row}: one to begin with expected")
    return RequestInputs(read, source_mask, tokens, mask)


def token_array(name: str, tokens: object) -> np.ndarray:
    array = np.asarray(tokens)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise ShapeError(f"{name} is of (batch, tokens), whole numbers, got {array.dtype} of {array.shape}")
    return np.ascontiguousarray(array, dtype=np.int64)


def mask_array(mask: object, tokens: np.ndarray) -> np.ndarray:
    array = np.asarray(mask)
    if array.dtype != np.bool_ or array.shape != tokens.shape:
        raise ShapeError(f"a mask is of bool and of {tokens.shape} as its tokens, got {array.dtype} of {array.shape}")
    return np.ascontiguousarray(array)
