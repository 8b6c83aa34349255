"""The values that options take: each kind has a range that makes sense, and refuses the rest as wrong usage."""

import math
from typing import Any

import click

from regard.decoding.limits import LENGTH_PENALTIES, MAX_BEAMS, MAX_NEW_TOKENS, SMALLEST_SHARE, TEMPERATURES

MOST = MAX_NEW_TOKENS  # of whatever is counted: lines, tokens, words to show
SEEDS = click.IntRange(-(1 << 63), (1 << 63) - 1)
POSITIONS = click.IntRange(-(1 << 31), (1 << 31) - 1)
PRECISIONS = click.Choice(["float32", "float16", "int8"])


class FiniteNumber(click.FloatRange):
    """A number of a range; what is infinite or no number is in none, and click would let it through."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"a finite number expected, got {value!r}", param, ctx)
        return number


class NamedPath(click.Path):
    """A path that has a name: an empty one would mean this folder, or be taken for none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not str(value):
            self.fail("a name expected, got ''", param, ctx)
        try:
            return super().convert(value, param, ctx)
        except (OSError, ValueError) as problem:  # a NUL, a name that is too long
            self.fail(f"{click.format_filename(value, shorten=False)[:80]!r}: {problem}", param, ctx)


PENALTY = FiniteNumber(*LENGTH_PENALTIES)
TEMPERATURE = FiniteNumber(*TEMPERATURES)
TOP_P = FiniteNumber(SMALLEST_SHARE, 1)
POSITIVE = FiniteNumber(0, min_open=True)
SHARE = FiniteNumber(0, 1)
PART = FiniteNumber(0, 1, min_open=True)
FILE = NamedPath(dir_okay=False)


def count(most: int = MOST, least: int = 1) -> "click.ParamType[int]":
    """How many: at least one, and no more than anyone wants on purpose."""
    return click.IntRange(least, most)


BEAMS = count(MAX_BEAMS)
