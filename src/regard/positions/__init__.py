"""Where order enters: one file per scheme."""

from regard.positions.alibi import Alibi
from regard.positions.buckets import RelativeBuckets
from regard.positions.learned import LearnedPositions
from regard.positions.position import Position, positions_of
from regard.positions.rotary import RopeScaling, Rotary
from regard.positions.sinusoidal import Sinusoidal

POSITIONS: dict[str, type[Position]] = {
    "none": Position,
    "sinusoidal": Sinusoidal,
    "learned": LearnedPositions,
    "rotary": Rotary,
    "alibi": Alibi,
    "buckets": RelativeBuckets,
}

__all__ = [
    "POSITIONS",
    "Alibi",
    "LearnedPositions",
    "Position",
    "RelativeBuckets",
    "RopeScaling",
    "Rotary",
    "Sinusoidal",
    "positions_of",
]  # fmt: skip
