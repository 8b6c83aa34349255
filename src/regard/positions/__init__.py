"""Where order enters: one file per scheme."""

from regard.positions.alibi import AlibiSlopes
from regard.positions.buckets import BucketTable
from regard.positions.learned import Learned
from regard.positions.position import Position, places_of
from regard.positions.rotary import Rotary, Stretch
from regard.positions.sinusoidal import Sinusoidal

POSITIONS: dict[str, type[Position]] = {
    "none": Position,
    "sinusoidal": Sinusoidal,
    "learned": Learned,
    "rotary": Rotary,
    "alibi": AlibiSlopes,
    "buckets": BucketTable,
}

__all__ = [
    "POSITIONS", "AlibiSlopes", "BucketTable", "Learned", "Position", "Rotary", "Sinusoidal", "Stretch",
    "places_of",
]  # fmt: skip
