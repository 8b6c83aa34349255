import pytest

from regard.pictures.diagrams.numbers import share_of, short_count


@pytest.mark.parametrize(
    ("number", "short"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.00K"),
        (1536, "1.54K"),
        (63_082_496, "63.1M"),
        (110_106_428, "110M"),
        (999_900, "1.00M"),
        (1_557_611_200, "1.56B"),
    ],
)
def test_a_large_number_has_three_digits(number, short):
    assert short_count(number) == short


def test_what_is_there_is_never_nothing():
    assert share_of(1, 1000) == "< 1 %"
    assert share_of(0, 1000) == "0 %"
    assert share_of(300, 1000) == "30 %"
