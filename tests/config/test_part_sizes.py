import pytest

from regard.config import PartSizes
from regard.positions import Alibi, LearnedPositions, RelativeBuckets, Rotary

SIZES = PartSizes(width=8, heads=2, head_width=4, length=24, both_ways=False)


@pytest.mark.parametrize(
    ("part", "arguments"),
    [
        (Alibi, {"heads": 2}),
        (LearnedPositions, {"width": 8, "length": 24}),
        (Rotary, {"head_width": 4}),
        (RelativeBuckets, {"heads": 2, "both_ways": False}),
    ],
)
def test_a_part_gets_the_sizes_that_it_asks_for_by_name(part, arguments):
    assert SIZES.arguments(part) == arguments


def test_a_part_that_asks_for_no_sizes_gets_none():
    class Part:
        def __init__(self, chunk: int, rounds: int = 2) -> None: ...

    assert SIZES.arguments(Part) == {}
