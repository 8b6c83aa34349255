"""What the fields of an edit may hold, whoever wrote it: a program, a file or a page.

A check takes a value and the name of its field, `edits[3].heads`, and returns the value as it is kept; what is wrong is
one line that begins with the name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.errors import EditError
from regard.settings import Range, shown

MAX_LETTERS = 1000  # of the name of a layer
MAX_NUMBERS = 1 << 24  # of one field
INDEX = Range(-(1 << 31), (1 << 31) - 1)
NUMBER = Range(-1_000_000, 1_000_000)  # to multiply by, so that float32 holds the result
TEMPERATURE = Range(1e-6, 1_000_000)
DTYPES = (
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
    *(torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
)
Record = dict[str, Any]
"""One edit as data, as JSON has it: where ("layer", "heads"), what ("do") and how much."""
Check = Callable[[object, str], object]
"""Takes what somebody wrote, and the name of its field."""


@dataclass(frozen=True)
class EditField:
    """A field of a kind of edit."""

    check: Check
    is_optional: bool = False


def layer_name(value: object, field: str) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_LETTERS:
        raise EditError(f"{field}: the name of a layer expected, got {describe(value)}")
    return value


def indices(value: object, field: str) -> list[int] | None:
    """Each of them once, or None for all."""
    if value is None:
        return None
    number_of: dict[int, int] = {}
    for number, index in enumerate(whole_numbers(value, field)):
        if number_of.setdefault(index, number) < number:
            raise EditError(f"{field}[{number}]: {index} is there already, as {field}[{number_of[index]}]")
    return list(number_of)


def temperature(value: object, field: str) -> object:
    number = numbers(value, field, dimensions=range(1))
    plain = number.item() if isinstance(number, Tensor) else number
    if not isinstance(plain, int | float) or plain not in TEMPERATURE:
        raise EditError(f"{field}: a number {TEMPERATURE} expected, got {describe(value)}")
    return number


def factor(value: object, field: str) -> object:
    """One for all heads, one for each, or (batch, heads)."""
    return numbers(value, field, dimensions=range(3))


def weights(value: object, field: str) -> object:
    """(keys), (rows, keys), with heads and batch before."""
    return numbers(value, field, dimensions=range(1, 5))


def pair_weight(value: object, field: str) -> object:
    """One for all pairs, or (keys), (queries, keys), with heads and batch before."""
    return numbers(value, field, dimensions=range(5))


def value(value: object, field: str) -> object:
    """One number, or (width), (positions, width), with heads and batch before."""
    return numbers(value, field, dimensions=range(5))


def directions(value: object, field: str) -> object:
    """(width) or (directions, width)."""
    return numbers(value, field, dimensions=range(1, 3))


def coefficient(value: object, field: str) -> object:
    return numbers(value, field, dimensions=range(1))


def text_position(value: object, field: str) -> int | None:
    """A position counted from the first token of a text, or None."""
    if value is None:
        return None
    position = whole_number(value, field)
    if position < 0:
        raise EditError(f"{field}: a position from the first token on, 0 or more, expected, got {position}")
    return position


def text_positions(value: object, field: str) -> list[int] | None:
    """Several of them, each once, or None for all."""
    positions = indices(value, field)
    for number, position in enumerate(positions or ()):
        text_position(position, f"{field}[{number}]")
    return positions


def whole_numbers(value: object, field: str) -> list[int]:
    values = value.tolist() if isinstance(value, Tensor | np.ndarray) and value.ndim == 1 else value
    if not isinstance(values, Sequence) or isinstance(values, str | bytes | bytearray):
        raise EditError(f"{field}: a list of whole numbers expected, got {describe(value)}")
    check_count(len(values), field)
    return [whole_number(each, f"{field}[{number}]") for number, each in enumerate(values)]


def whole_number(value: object, field: str) -> int:
    """As Python has them: those of numpy and torch are numbers, True and 2.0 are not."""
    number = value.item() if isinstance(value, np.generic | Tensor | np.ndarray) and value.ndim == 0 else value
    if not isinstance(number, int) or isinstance(number, bool):
        raise EditError(f"{field}: a whole number expected, got {describe(value)}")
    if number not in INDEX:
        raise EditError(f"{field}: a whole number {INDEX} expected, got {describe(number)}")
    return number


def numbers(value: object, field: str, dimensions: range) -> object:
    """Numbers in so many dimensions. A tensor stays one, it may want a gradient; what is numpy's becomes a list."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.astype(float).tolist() if value.dtype.kind in "iuf" else value.tolist()
    count = value.ndim if isinstance(value, Tensor) else depth(value)
    if count not in dimensions:
        first, last = dimensions[0], dimensions[-1]
        form = "a number" if last == 0 else f"numbers in {first} to {last} dimensions"
        raise EditError(f"{field}: {form} expected, got {describe(value)}")
    if isinstance(value, Tensor):
        check_tensor(value, field)
    else:
        check_count(check_nested(value, field, shape_of(value)), field)
    return value


def depth(value: object) -> int:
    """How many lists are around the first number."""
    count = 0
    while isinstance(value, list | tuple):
        count, value = count + 1, value[0] if value else None
    return count


def shape_of(value: object) -> tuple[int, ...]:
    """The lengths of a list and of the first lists within it."""
    return (len(value), *shape_of(value[0])) if isinstance(value, list | tuple) and value else ()


def check_nested(value: object, field: str, shape: tuple[int, ...]) -> int:
    """Raise unless lists are as long as the first of their kind and hold numbers; how many of these there are."""
    if shape:
        if not isinstance(value, list | tuple) or len(value) != shape[0]:
            raise EditError(f"{field}: a list of {shape[0]} expected, got {describe(value)}")
        return sum(check_nested(part, f"{field}[{number}]", shape[1:]) for number, part in enumerate(value))
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in NUMBER:
        raise EditError(f"{field}: a number {NUMBER} expected, got {describe(value)}")
    return 1


def check_tensor(value: Tensor, field: str) -> None:
    check_count(value.numel(), field)
    if value.is_meta or value.layout is not torch.strided or value.dtype not in DTYPES or not value.numel():
        raise EditError(f"{field}: a tensor of numbers expected, got {describe(value)}")
    outside = ~((value.detach() >= NUMBER.least) & (value.detach() <= NUMBER.most))  # as NaN is
    if outside.any():
        number = value.detach()[outside][0].item()
        raise EditError(f"{field}: numbers {NUMBER} expected, got {number}")


def check_count(count: int, field: str) -> None:
    if not count <= MAX_NUMBERS:
        raise EditError(f"{field}: at most {MAX_NUMBERS} numbers expected, got {count}")


def describe(value: object) -> str:
    """A value in one short line, a tensor by its size."""
    if isinstance(value, Tensor):
        return f"a tensor of {list(value.shape)}, {value.dtype}, {value.layout}, {value.device}"
    return shown(value)
