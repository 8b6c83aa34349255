"""What the fields of an edit may hold, whoever wrote it: a program, a file or a page."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.attention.regions import as_list
from regard.errors import RegardError, ShapeError

OLD_FIELDS = {"place": "layer", "places": "positions"}
OLD_KINDS = {"temper": "temperature"}


def refuse_old_words(record: Mapping[str, Any]) -> None:
    """Raise, and name the new word, where a record has a field or is of a kind that version 0.1 called otherwise."""
    kind = record.get("do")
    if isinstance(kind, str) and kind in OLD_KINDS:
        raise RegardError(f"the edit {kind!r} is called {OLD_KINDS[kind]!r} now")
    for field, name in OLD_FIELDS.items():
        if field in record:
            raise RegardError(f"the field {field!r} of an edit is called {name!r} now")


def layer(value: Any) -> str:
    if not isinstance(value, str):
        raise RegardError(f"layer: the name of a layer expected, got {value!r}")
    return value


def some_heads(value: Any) -> list[int] | None:
    return None if value is None else as_list(value, "head")


def some_rows(value: Any) -> list[int] | None:
    return None if value is None else as_list(value, "row")


def some_tokens(value: Any) -> list[int]:
    return as_list(value, "token")


def temperature(value: Any) -> Any:
    number = finite("temperature", value)
    if number.ndim or not number > 0:
        raise ShapeError(f"a temperature is a finite number above 0, got {value!r}")
    return plain(value)


def factor(value: Any) -> Any:
    finite("factor", value)
    return plain(value)


def weights(value: Any) -> Any:
    numbers = finite("weights", value)
    if not 1 <= numbers.ndim <= 4:
        raise ShapeError(f"weights of 1 to 4 dimensions (… heads, rows, keys) expected, got {numbers.ndim}")
    if not numbers.numel():
        raise ShapeError("weights of 1 key or more expected, got none")
    return plain(value)


def finite(name: str, value: Any) -> Tensor:
    """Numbers as a tensor to check; each is a number and finite."""
    try:
        numbers = torch.as_tensor(value, dtype=torch.float64).detach()
    except (TypeError, ValueError, RuntimeError):
        raise ShapeError(f"{name}: finite numbers expected, got {value!r}") from None
    if not numbers.isfinite().all():
        raise ShapeError(f"{name}: finite numbers expected, got {numbers[~numbers.isfinite()][0].item()}")
    return numbers


def plain(value: Any) -> Any:
    """The same without numpy; a tensor stays, it may want a gradient."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


FIELDS: dict[str, Callable[[Any], Any]] = {
    "layer": layer,
    "heads": some_heads,
    "rows": some_rows,
    "positions": some_tokens,
    "temperature": temperature,
    "factor": factor,
    "weights": weights,
}
"""Each field as it is kept, or an error in one line."""
