from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import RegardError, UnknownName
from regard.pictures.scales import SCALES, DivergingScale, LinearScale, LogScale, WithoutSinkScale, scale_of

NUMBERS = st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=1, max_size=4)


@given(NUMBERS, st.sampled_from(sorted(SCALES)))
def test_every_scale_keeps_every_number_within_its_colours(table, name):
    scale = SCALES[name].fitted([table])
    low, high = scale.ends
    assert low < high
    for row, shares in zip(table, scale.shares(table), strict=True):
        for number, share in zip(row, shares, strict=True):
            assert share is None or (-1 if name == "difference" else 0) <= share <= 1
            assert share is None or number == number


@given(
    st.lists(st.floats(-10, 10), min_size=2, max_size=2), st.sampled_from(["linear", "log", "largest", "difference"])
)
def test_a_larger_number_never_has_less_colour(pair, name):
    table = [sorted(pair)]
    less, more = SCALES[name].fitted([table]).shares(table)[0]
    assert less <= more


def test_equal_factors_are_equal_steps_of_the_log_scale():
    (shares,) = LogScale(1e-4, 1).shares([[1.0, 0.1, 0.01, 0.001, 1e-4, 1e-5, 0.0, -1.0, nan, inf]])
    assert shares[:5] == pytest.approx([1, 0.75, 0.5, 0.25, 0])
    assert shares[5:] == [0, 0, 0, None, 1]


def test_a_log_scale_begins_above_zero():
    with pytest.raises(RegardError, match="above 0"):
        LogScale(0)


def test_the_sink_is_taken_out_and_the_rest_takes_all_the_colours():
    table = [[0.9, 0.1, 0.0], [0.8, 0.15, 0.05], [0.7, 0.1, 0.2]]
    scale = WithoutSinkScale().fitted([table])
    assert scale.sinks(table) == {0: pytest.approx(0.8)}
    assert scale.ends == (0, 0.2)
    assert [row[0] for row in scale.shares(table)] == [None] * 3
    assert [share for row in scale.shares(table) for share in row[1:]] == pytest.approx([0.5, 0, 0.75, 0.25, 0.5, 1])
    assert scale.note(table, [" The", "cat", "sat"]) == "without the sink: ·The (80%)"
    assert scale.note(table, None) == "without the sink: column 0 (80%)"


def test_where_there_is_no_sink_the_legend_says_so():
    even = [[0.25] * 4] * 4
    assert WithoutSinkScale().fitted([even]).shares(even) == [[1.0] * 4] * 4
    assert "no sink" in WithoutSinkScale().note(even, None)


def test_a_difference_has_zero_in_the_middle_and_reaches_equally_far():
    table = [[-0.2, 0.0, 0.1]]
    scale = DivergingScale().fitted([table])
    assert scale.ends == (-0.2, 0.2)
    assert scale.shares(table) == [[-1, 0, 0.5]]


def test_grids_that_are_drawn_together_share_their_colours():
    scale = LinearScale(None).fitted([[[1.0, 2.0]], [[8.0]]])
    assert scale.shares([[2.0]]) == [[0.25]]


def test_unknown_scales_are_refused_with_those_there_are():
    with pytest.raises(UnknownName, match="unknown scale 'logg': did you mean 'log'"):
        scale_of("logg")
