"""Which colour a number has: linear, logarithmic, without the sink, or from minus to plus.

A scale is a small frozen value. `fitted` fills in the ends that were left open, from all grids that are drawn together,
so that equal colours are equal numbers; `shares` says how far each number is from paper (0) to ink (1, or -1).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, log

from regard.errors import RegardError, lookup
from regard.pictures.labels import label

Table = list[list[float]]
Shares = list[list[float | None]]
"""None where nothing is painted: no number, or taken out."""


class Scale:
    """How numbers become colours, and what a legend has to say about it. `name` is what people choose it by."""

    name: str

    @property
    def ends(self) -> tuple[float, float]:
        """The numbers at the two ends of the legend."""
        raise NotImplementedError

    def fitted(self, tables: Sequence[Table]) -> "Scale":
        """The same with no end left open."""
        return self

    def shares(self, table: Table) -> Shares:
        raise NotImplementedError

    def note(self, table: Table, columns: Sequence[str] | None) -> str:
        """What was done to this grid, if it was anything."""
        return ""


@dataclass(frozen=True)
class LinearScale(Scale):
    """In proportion. `high=None` is the largest number that there is; weights go from 0 to 1."""

    high: float | None = 1.0
    name: str = "linear"

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, _require_end(self.high)

    def fitted(self, tables: Sequence[Table]) -> "LinearScale":
        return self if self.high is not None else replace(self, high=_largest(tables))

    def shares(self, table: Table) -> Shares:
        high = _require_end(self.high)
        return [[None if isnan(number) else _clip(number / high) for number in row] for row in table]


@dataclass(frozen=True)
class LogScale(Scale):
    """Equal steps are equal factors; `low` and what is below it are paper."""

    low: float = 1e-4
    high: float = 1.0
    name: str = "log"

    def __post_init__(self) -> None:
        if not 0 < self.low < self.high:
            raise RegardError(f"a logarithmic scale goes from a number above 0 to a larger one, got {self.ends}")

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def shares(self, table: Table) -> Shares:
        width = log(self.high / self.low)

        def share(number: float) -> float | None:
            if isnan(number):
                return None
            return _clip(log(number / self.low) / width) if 0 < number < inf else float(number == inf)

        return [[share(number) for number in row] for row in table]

    def note(self, table: Table, columns: Sequence[str] | None) -> str:
        return "log"


@dataclass(frozen=True)
class WithoutSinkScale(Scale):
    """The columns that everybody looks at are taken out, and the largest of the other weights is the darkest.

    A column is a sink where it is given more than `least` of all weight: Gu et al. 2025, "When attention sink emerges".
    """

    least: float = 0.3
    high: float | None = None
    name: str = "sink"

    @property
    def ends(self) -> tuple[float, float]:
        return 0.0, _require_end(self.high)

    def fitted(self, tables: Sequence[Table]) -> "WithoutSinkScale":
        if self.high is not None:
            return self
        rest = [
            [row[j] for j in range(len(row)) if j not in out] for t in tables for out in [self.sinks(t)] for row in t
        ]
        return replace(self, high=_largest([rest]))

    def shares(self, table: Table) -> Shares:
        out = self.sinks(table)
        inside = LinearScale(self.high).shares(table)
        return [[None if j in out else share for j, share in enumerate(row)] for row in inside]

    def sinks(self, table: Table) -> dict[int, float]:
        """The columns that are taken out, and the share of all weight that each is given."""
        sums = [sum(number for number in column if isfinite(number)) for column in zip(*table, strict=True)]
        everything = sum(sums)
        shares = {column: one / everything for column, one in enumerate(sums)} if everything > 0 else {}
        return {column: share for column, share in shares.items() if share > self.least}

    def note(self, table: Table, columns: Sequence[str] | None) -> str:
        sinks = self.sinks(table)
        if not sinks:
            return "there is no sink to take out"
        named = [
            f"{label(columns[number]) if columns else f'column {number}'} ({share:.0%})"
            for number, share in sinks.items()
        ]
        return f"without the sink: {', '.join(named)}"


@dataclass(frozen=True)
class DivergingScale(Scale):
    """A difference: 0 is paper, more goes one way and less the other, equally far. `most=None` is the largest."""

    most: float | None = None
    name: str = "difference"

    @property
    def ends(self) -> tuple[float, float]:
        return -_require_end(self.most), _require_end(self.most)

    def fitted(self, tables: Sequence[Table]) -> "DivergingScale":
        if self.most is not None:
            return self
        return replace(self, most=_largest([[[abs(number) for number in row] for row in table] for table in tables]))

    def shares(self, table: Table) -> Shares:
        most = _require_end(self.most)
        return [[None if isnan(number) else _clip(number / most, -1.0) for number in row] for row in table]


SCALES: dict[str, Scale] = {
    "linear": LinearScale(),
    "log": LogScale(),
    "sink": WithoutSinkScale(),
    "largest": LinearScale(None, "largest"),
    "difference": DivergingScale(),
}
WEIGHTS = ("linear", "log", "sink")
"""Those that are one click apart, for numbers that are weights."""
SAYS = {
    "linear": "linear",
    "log": "log",
    "sink": "without the sink",
    "largest": "to the largest",
    "difference": "difference",
}
"""What people are told about them."""


def scale_of(name: "str | Scale") -> Scale:
    return lookup(SCALES, name, "scale") if isinstance(name, str) else name


def _clip(share: float, low: float = 0.0) -> float:
    return min(max(share, low), 1.0)


def _require_end(end: float | None) -> float:
    if end is None:
        raise RegardError("this scale has an open end: use scale.fitted(grids)")
    if not end > 0:
        raise RegardError(f"a scale ends above 0, got {end:g}")
    return end


def _largest(tables: Sequence[Table]) -> float:
    """The largest number above 0; 1 where there is none."""
    return max((number for table in tables for row in table for number in row if 0 < number < inf), default=1.0)
