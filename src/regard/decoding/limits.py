"""How large the numbers of a request may be, and that they are numbers at all."""

import operator
from collections.abc import Iterable
from numbers import Real
from typing import SupportsIndex

from regard.errors import ArgumentError
from regard.settings import shown

MAX_NEW_TOKENS = 1_000_000
MAX_BEAMS = 1_000
MAX_HYPOTHESES = 10_000  # that are drawn of one source
MAX_TOKEN = 2**31 - 1  # no vocabulary is larger
LENGTH_PENALTIES = (-10, 10)  # what a length is raised to
REPETITION_PENALTIES = (0.01, 100)
COVERAGE_PENALTIES = (-1_000, 1_000)
TEMPERATURES = (1e-6, 1e6)
SMALLEST_SHARE = 1e-9  # of top_p


def check_whole(name: str, value: object, least: int | None = None, most: int | None = None, hint: str = "") -> int:
    """The value as an int. Raises ArgumentError unless it is a whole number from `least` to `most`."""
    number = value if type(value) is int else None  # a protocol takes its time, and there is a limit for each text
    try:
        if number is None and isinstance(value, SupportsIndex) and not isinstance(value, bool):
            number = operator.index(value)
    except TypeError:
        number = None
    if number is None or (least is not None and number < least) or (most is not None and number > most):
        limits = "" if least is None else f" of at least {least}" if most is None else f" from {least} to {most}"
        raise ArgumentError(f"{name} is a whole number{limits}, got {shown(value)}{hint}")
    return number


def check_real(name: str, value: object, least: float, most: float, hint: str = "") -> None:
    """Raise ArgumentError unless a value is a number from `least` to `most`; NaN is none."""
    if isinstance(value, bool) or not isinstance(value, Real) or value < least or not value <= most:
        raise ArgumentError(f"{name} is a number from {least:g} to {most:g}, got {shown(value)}{hint}")


def check_tokens(name: str, tokens: Iterable[object]) -> None:
    """Raise ArgumentError unless these can be numbers of tokens; of which vocabulary is not known here."""
    for token in tokens:
        check_whole(name, token, 0, MAX_TOKEN)
