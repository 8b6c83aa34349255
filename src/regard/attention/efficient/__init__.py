"""The price of N²: ways to compare fewer pairs, one file each. Each says what it promises and shows what it used."""

from regard.attention.efficient.linear import Linear
from regard.attention.efficient.low_rank import LowRank
from regard.attention.efficient.lsh import LSH
from regard.attention.efficient.way import Way
from regard.attention.efficient.windowed import Windowed

WAYS: dict[str, type[Way]] = {"window": Windowed, "lsh": LSH, "linear": Linear, "low-rank": LowRank}

__all__ = ["LSH", "WAYS", "Linear", "LowRank", "Way", "Windowed"]
