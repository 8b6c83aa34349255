from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import ShapeError
from regard.pictures.svg import heat

SVG = "{http://www.w3.org/2000/svg}"


def cells(drawn):
    """The painted cells: those that say what they hold."""
    rects = ElementTree.fromstring(drawn).iter(f"{SVG}rect")
    return [rect for rect in rects if rect.find(f"{SVG}title") is not None]


def texts(drawn):
    return [text.text for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


def test_a_cell_is_as_opaque_as_its_weight_and_says_it():
    drawn = cells(heat([[0.25, 0.75], [1.0, 0.0]], ["wo", "ist"], ["where", "is"]))
    assert [float(cell.get("fill-opacity", "")) for cell in drawn] == [0.25, 0.75, 1, 0]
    assert [cell[0].text for cell in drawn] == [
        "wo → where: 0.25",
        "wo → is: 0.75",
        "ist → where: 1",
        "ist → is: 0",
    ]


def test_rows_go_down_and_columns_across():
    first, right, below, _ = cells(heat([[0, 0], [0, 0]]))
    assert float(right.get("x", "")) > float(first.get("x", ""))
    assert right.get("y") == first.get("y")
    assert float(below.get("y", "")) > float(first.get("y", ""))
    assert below.get("x") == first.get("x")


def test_labels_title_and_both_ends_of_the_scale_are_written():
    drawn = heat([[0.5]], ["wo"], ["where"], title="decoder.2.cross")
    assert set(texts(drawn)) == {"decoder.2.cross", "wo", "where", "0", "1"}


def test_token_text_is_only_ever_text():
    hostile = "<script>alert('1')</script>&\"]]>"
    drawn = heat([[0.5]], [hostile], [hostile], title=hostile)
    assert "<script" not in drawn
    assert hostile in texts(drawn)[0]


@given(st.text(), st.floats())
def test_any_label_and_any_number_give_a_well_formed_picture(label, weight):
    opacity = float(cells(heat([[weight]], [label], [label], title=label))[0].get("fill-opacity", ""))
    assert 0 <= opacity <= 1


def test_nothing_is_fetched():
    drawn = heat([[0.5]], ["a"], ["b"], title="c")
    for word in ("href", "@import", "url(", "<script", "<image"):
        assert word not in drawn
    assert drawn.count("http") == 1  # the name of the SVG namespace


def test_a_long_label_is_cut():
    assert any((text or "").endswith("…") for text in texts(heat([[0.5]], ["a" * 100], ["b"])))


def test_labels_must_fit_the_grid():
    with pytest.raises(ShapeError, match="one label for each row: 1, got 2"):
        heat([[0.5]], ["a", "b"], ["c"])
