"""What the fields of an edit may hold, whoever wrote it: a program, a file or a page."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.attention.regions import listed
from regard.errors import RegardError, ShapeError


def layer(value: Any) -> str:
    if not isinstance(value, str):
        raise RegardError(f"place: the name of a layer expected, got {value!r}")
    return value


def some_heads(value: Any) -> list[int] | None:
    return None if value is None else listed(value, "head")


def some_rows(value: Any) -> list[int] | None:
    return None if value is None else listed(value, "row")


def some_tokens(value: Any) -> list[int]:
    return listed(value, "token")


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
    "place": layer,
    "heads": some_heads,
    "rows": some_rows,
    "places": some_tokens,
    "temperature": temperature,
    "factor": factor,
    "weights": weights,
}
"""Each field as it is kept, or an error in one line."""
