"""Frozen values that hold tensors, changed all the way down."""

import copy
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import TypeVar, overload

from torch import Tensor

Value = TypeVar("Value")


@overload
def map_tensors(value: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor: ...
@overload
def map_tensors(value: Value, change: Callable[[Tensor], Tensor]) -> Value: ...
def map_tensors(value: object, change: Callable[[Tensor], Tensor]) -> object:
    """The same value with every tensor inside changed; what is worked out from them is forgotten."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, tuple):
        return tuple(map_tensors(part, change) for part in value)
    if not is_dataclass(value):
        return value
    other = copy.copy(value)
    names = [field.name for field in fields(value)]
    for name in list(vars(other)):
        if name not in names:
            del vars(other)[name]
    for name in names:
        object.__setattr__(other, name, map_tensors(getattr(value, name), change))
    return other


def describe(value: object) -> str:
    """A frozen value in one line, its tensors by their sizes."""
    names = [field.name for field in fields(value)] if is_dataclass(value) else []
    parts = [(name, getattr(value, name)) for name in names]
    shown = [
        f"{name} {' x '.join(map(str, x.shape))}" if isinstance(x, Tensor) else f"{name}={x!r}" for name, x in parts
    ]
    return f"{type(value).__name__}({', '.join(shown)})"
