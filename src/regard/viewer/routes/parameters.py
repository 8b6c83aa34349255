"""Parameters that several routes take."""

from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import BeforeValidator


def check_digits(value: object) -> object:
    """Raise for what is no whole number in plain digits, as " 1", "1_0" or "1.0"; defaults are numbers already."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        raise ValueError("a whole number of 0 or more expected")
    return value


Name = Annotated[str, Path(max_length=64)]
LayerName = Annotated[str, Query(max_length=200)]
WholeNumber = Annotated[int, BeforeValidator(check_digits)]
Number = Annotated[WholeNumber, Query(ge=0, lt=2**31)]
BINARY: dict[str, Any] = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
