from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from regard.errors import RegardError
from regard.pictures import bars

SVG = "{http://www.w3.org/2000/svg}"
GROUPS = {"short": {"ours": 3.0, "theirs": 1.5}, "long": {"ours": 6.0, "theirs": 2.0}}


def rectangles(drawn):
    return [
        (rect.get("fill"), float(rect.get("width", ""))) for rect in ElementTree.fromstring(drawn).iter(f"{SVG}rect")
    ]


def test_bars_in_the_terminal_share_one_scale():
    drawn = bars.text(GROUPS, width=31, unit="x").splitlines()
    assert drawn == [
        "short",
        "  ours   ████████ 3 x",
        "  theirs ████ 1.5 x",
        "long",
        "  ours   ████████████████ 6 x",
        "  theirs █████▍ 2 x",
    ]


@given(st.dictionaries(st.text(max_size=40), st.floats(0, 1e9), min_size=1, max_size=5), st.integers(60, 200))
def test_no_line_is_wider_than_the_terminal(values, width):
    assert all(cell_len(line) <= width for line in bars.text({"": values}, width=width).splitlines())


def test_what_is_not_nothing_can_be_seen():
    drawn = bars.text({"": {"a": 1e-9, "b": 0.0, "c": 1.0}}).splitlines()
    assert "▏" in drawn[0]
    assert not any(block in drawn[1] for block in "▏█")


def test_lengths_in_the_drawing_are_proportional_and_a_name_keeps_its_colour():
    drawn = rectangles(bars.svg(GROUPS))
    lengths = [length for _, length in drawn]
    assert [length / lengths[2] for length in lengths] == pytest.approx([1 / 2, 1 / 4, 1, 1 / 3], abs=0.001)
    colours = [colour for colour, _ in drawn]
    assert colours[:2] == colours[2:]
    assert colours[0] != colours[1]


def test_the_mark_is_where_a_bar_of_its_number_would_end():
    drawn = ElementTree.fromstring(bars.svg({"": {"a": 2.0, "b": 1.0}}, mark=1.0))
    path = drawn.find(f"{SVG}path")
    _, short = drawn.iter(f"{SVG}rect")
    assert path is not None
    end = float(short.get("x", "")) + float(short.get("width", ""))
    assert path.get("d", "").startswith(f"M{end:.1f} ")


def test_names_are_escaped():
    drawn = bars.svg({"a < b": {"c & d": 1.0}}, title="<e>")
    texts = [text.text for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert {"a < b", "c & d", "<e>"} <= set(texts)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({}, "at least one"),
        ({"a": {}}, "at least one"),
        ({"a": {"b": -1.0}}, "got -1 for 'b'"),
        ({"a": {"b": float("nan")}}, "nan"),
    ],
)
@pytest.mark.parametrize("draw", [bars.text, bars.svg])
def test_what_has_no_length_is_refused(draw, groups, said):
    with pytest.raises(RegardError, match=said):
        draw(groups)
