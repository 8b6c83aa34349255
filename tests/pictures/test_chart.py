import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from regard.errors import RegardError
from regard.pictures.chart import Axis, lines

SVG = "{http://www.w3.org/2000/svg}"


def curve(drawn, number=0):
    """The corners of one line, in pixels."""
    paths = [path for path in ElementTree.fromstring(drawn).iter(f"{SVG}path") if path.get("class") == "line"]
    corners = re.findall(r"[ML]([\d.]+) ([\d.]+)", paths[2 * number].get("d", ""))
    return [(float(across), float(down)) for across, down in corners]


def texts(drawn):
    return [text.text for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


def test_a_straight_line_stays_straight():
    (x0, y0), (x1, y1), (x2, y2) = curve(lines({"a": [(0, 0), (1, 2), (2, 4)]}))
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.2)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.2)
    assert y0 > y2  # more is higher up


def test_a_power_law_is_straight_on_two_logarithmic_axes():
    drawn = curve(lines({"n²": [(n, n**2) for n in (16, 64, 256, 1024)]}, log_x=True, log_y=True))
    slopes = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(drawn)]
    assert slopes == pytest.approx([slopes[0]] * 3, rel=0.01)


def test_names_are_written_and_escaped():
    drawn = lines({"a < b": [(0, 1), (1, 2)], "c&d": [(0, 2), (1, 1)]}, title="time", x="places", y="ms")
    assert {"a < b", "c&d", "time", "places", "ms"} <= set(texts(drawn))


def test_what_is_not_finite_leaves_a_gap():
    drawn = lines({"a": [(0, 1), (1, float("nan")), (2, 1.5), (3, 2)]})
    path = ElementTree.fromstring(drawn).find(f"{SVG}path[@class='line']")
    assert path is not None
    assert path.get("d", "").count("M") == 2
    assert "nan" not in drawn


def test_one_point_and_equal_points_can_be_drawn():
    assert len(curve(lines({"a": [(1, 1)]}))) == 1
    assert len(curve(lines({"a": [(1, 5), (2, 5)]}, log_x=True, log_y=True))) == 2


@pytest.mark.parametrize("series", [{}, {"a": []}, {"a": [(0.0, float("inf"))]}])
def test_nothing_to_draw_is_said(series):
    with pytest.raises(RegardError, match="at least one point"):
        lines(series)


def test_a_logarithmic_axis_refuses_zero():
    with pytest.raises(RegardError, match="above 0, got 0"):
        lines({"a": [(0, 1), (1, 2)]}, log_x=True)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_round_and_on_a_straight_axis(low, length):
    assume(low + length - low > 0.9 * length and length > 1e-6 * abs(low))
    axis = Axis(low, low + length, is_log=False)
    ticks = axis.ticks()
    assert 3 <= len(ticks) <= 11
    assert all(-1e-6 <= axis.share(tick) <= 1 + 1e-6 for tick in ticks)


@given(st.floats(1e-6, 1e6), st.floats(10, 1e6))
def test_ticks_are_few_and_on_a_logarithmic_axis(low, factor):
    axis = Axis(low, low * factor, is_log=True)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 12
    assert all(-1e-6 <= axis.share(tick) <= 1 + 1e-6 for tick in ticks)
