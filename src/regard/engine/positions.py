"""Tables of positions as the engine reads them; those without an end are written out as far as they are needed."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from regard.config.rope_scaling import RopeScaling

ADDED, ROTATED, BIASED, EVERYWHERE = 0, 1, 2, 3  # what a table is for


@runtime_checkable
class EndlessTable(Protocol):
    """A table with as many rows as are asked for."""

    @property
    def kind(self) -> int: ...

    def rows(self, count: int) -> np.ndarray:
        """The first rows: (count, width), float32."""
        ...


@dataclass(frozen=True)
class Waves:
    """What `Sinusoidal` adds at every position."""

    width: int
    layout: str
    steps: float
    start: int = 0
    kind: int = ADDED

    def rows(self, count: int) -> np.ndarray:
        rates = np.exp(np.arange((self.width + 1) // 2) * (-math.log(10000) / max(self.steps, 1)))
        angles = np.arange(self.start, self.start + count)[:, None] * rates
        sines, cosines = np.sin(angles), np.cos(angles)
        if self.layout == "halves":
            table = np.concatenate([sines, cosines[:, : self.width // 2]], 1)
        else:
            table = np.stack([sines, cosines], -1).reshape(count, -1)[:, : self.width]
        return np.ascontiguousarray(table, dtype=np.float32)


@dataclass(frozen=True)
class Rotations:
    """How `Rotary` turns queries and keys: cosines, then sines, of every position."""

    width: int
    base: float
    scaling: RopeScaling | None = None
    kind: int = ROTATED

    def rows(self, count: int) -> np.ndarray:
        angles = np.arange(count, dtype=np.float32)[:, None] * self.rates()
        fine = angles.astype(np.float64)
        return np.concatenate([np.cos(fine), np.sin(fine)], 1).astype(np.float32)

    def rates(self) -> np.ndarray:
        """By how much each pair turns from one position to the next, in float32 as checkpoints mean it."""
        one = np.float32(1)
        rates = one / np.power(np.float32(self.base), np.arange(0, self.width, 2, dtype=np.float32) / self.width)
        scaling = self.scaling
        if scaling is None:
            return rates
        if scaling.length is None:
            return rates / np.float32(scaling.factor)
        turns = np.float32(scaling.length) * rates / np.float32(2 * math.pi)
        unscaled = (turns - np.float32(scaling.low)) / np.float32(scaling.high - scaling.low)
        unscaled = np.clip(unscaled, 0, 1)
        return rates * (unscaled + (one - unscaled) / np.float32(scaling.factor))


SCHEMES: dict[str, type[Waves] | type[Rotations]] = {"waves": Waves, "rotations": Rotations}


def table_entries(table: EndlessTable) -> dict[str, Any]:
    """A table as JSON can say it."""
    name = next(name for name, scheme in SCHEMES.items() if type(table) is scheme)
    assert isinstance(table, Waves | Rotations)
    return {"scheme": name, **asdict(table)}


def read_table(entries: Mapping[str, Any]) -> EndlessTable:
    """The table that was said so."""
    settings = dict(entries)
    scheme = SCHEMES[settings.pop("scheme")]
    if settings.get("scaling") is not None:
        settings["scaling"] = RopeScaling(**settings["scaling"])
    return scheme(**settings)


def bucket_numbers(buckets: int, reach: int, both_ways: bool) -> np.ndarray:
    """The bucket of every distance from -reach to reach, as `RelativeBuckets` has it."""
    ahead = np.arange(-reach, reach + 1)
    first = np.zeros_like(ahead)
    if both_ways:
        buckets //= 2
        first = (ahead > 0) * buckets
        distance = np.abs(ahead)
    else:
        distance = np.maximum(-ahead, 0)
    single = buckets // 2
    near = np.maximum(distance, 1).astype(np.float32) / np.float32(single)
    ratio = np.log(near) / np.float32(math.log(reach / single))
    wide = np.minimum(single + (ratio * np.float32(buckets - single)).astype(np.int64), buckets - 1)
    return first + np.where(distance < single, distance, wide)
