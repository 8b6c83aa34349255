from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import ShapeError
from regard.pictures import Album, Picture
from regard.pictures.colours import DARK, LIGHT, hexadecimal
from regard.pictures.svg import POINTED, heat

SVG = "{http://www.w3.org/2000/svg}"


def cells(drawn):
    """The painted cells: those that say what they hold."""
    rects = ElementTree.fromstring(drawn).iter(f"{SVG}rect")
    return [rect for rect in rects if rect.find(f"{SVG}title") is not None]


def texts(drawn):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]


def test_a_cell_has_the_shade_of_its_weight_and_says_it():
    drawn = heat([[0.25, 0.75], [1.0, 0.0]], ["wo", "ist"], ["where", "is"])
    assert [cell.get("class") for cell in cells(drawn)] == ["s8", "s24", "s32", "s0"]
    assert [cell[0].text for cell in cells(drawn)] == [
        "wo → where: 0.25",
        "wo → is: 0.75",
        "ist → where: 1",
        "ist → is: 0",
    ]
    light, dark = drawn.split("@media (prefers-color-scheme: dark)")
    assert f".s8 {{ fill: {hexadecimal(LIGHT.colour(0.25))}; }}" in light
    assert f".s8 {{ fill: {hexadecimal(DARK.colour(0.25))}; }}" in dark


def test_only_zero_is_paper():
    assert [cell.get("class") for cell in cells(heat([[1e-9, 0.0]]))] == ["s1", "s0"]


def test_less_than_zero_has_a_colour_of_its_own_where_the_scale_has_signs():
    drawn = heat([[-0.5, 0.0, 0.25]], scale="difference")
    assert [cell.get("class") for cell in cells(drawn)] == ["n32", "s0", "s16"]
    assert {"-0.5", "0.5"} <= set(texts(drawn))


def test_rows_go_down_and_columns_across():
    first, right, below, _ = cells(heat([[0, 0], [0, 0]]))
    assert float(right.get("x", "")) > float(first.get("x", ""))
    assert right.get("y") == first.get("y")
    assert float(below.get("y", "")) > float(first.get("y", ""))
    assert below.get("x") == first.get("x")


def test_labels_title_and_both_ends_of_the_scale_are_written():
    drawn = heat([[0.5]], ["wo"], [" where"], title="decoder.2.cross")
    assert set(texts(drawn)) == {"decoder.2.cross", "wo", "·where", "0", "1"}


def test_the_legend_says_what_was_taken_out():
    drawn = heat([[0.9, 0.1]], ["wo"], ["where", "is"], scale="sink")
    assert any("without the sink: where (90%)" in text for text in texts(drawn))
    assert [cell.get("class") for cell in cells(drawn)] == ["none", "s32"]


def test_token_text_is_only_ever_text():
    hostile = "<script>alert('1')</script>&\"]]>"
    drawn = heat([[0.5]], [hostile], [hostile], title=hostile)
    assert "<script" not in drawn
    assert hostile in texts(drawn)[0]


@given(st.text(), st.floats())
def test_any_label_and_any_number_give_a_well_formed_picture(label, weight):
    (cell,) = cells(heat([[weight]], [label], [label], title=label))
    assert cell.get("class") in {"none", *(f"s{step}" for step in range(33))}


def test_nothing_is_fetched():
    drawn = heat([[0.5]], ["a"], ["b"], title="c")
    for word in ("href", "@import", "url(", "<script", "<image"):
        assert word not in drawn
    assert drawn.count("http") == 1  # the name of the SVG namespace


def test_a_long_label_is_cut():
    assert any(text.endswith("…") for text in texts(heat([[0.5]], ["a" * 100], ["b"])))


def test_labels_must_fit_the_grid():
    with pytest.raises(ShapeError, match="one label for each row: 1, got 2"):
        heat([[0.5]], ["a", "b"], ["c"])


def test_several_pictures_stand_on_one_sheet_apart_from_each_other_on_one_scale():
    album = Album(
        [
            Picture([[1.0, 2.0], [0.0, n]], title="a" if n < 9 else "b", part=f"head {n}", scale="largest")
            for n in (4.0, 8.0, 16.0)
        ]
    )
    drawn = album.svg()
    assert {"a", "b", "head 4.0", "head 8.0", "head 16.0", "16"} <= set(texts(drawn))
    assert [cell.get("class") for cell in cells(drawn)][3::4] == ["s8", "s16", "s32"]
    root = ElementTree.fromstring(drawn)
    boxes = [(float(one.get("x", "")), float(one.get("y", ""))) for one in cells(drawn)]
    assert len(set(boxes)) == 12
    assert all(x + 18 <= float(root.get("width", "")) and y + 18 <= float(root.get("height", "")) for x, y in boxes)


def test_very_many_cells_become_a_path_for_each_shade_that_covers_them_once():
    side = int(POINTED**0.5) + 1
    drawn = heat([[float((i + j) % 3 == 0) for j in range(side)] for i in range(side)])
    assert not cells(drawn)
    (path,) = ElementTree.fromstring(drawn).iter(f"{SVG}path")
    assert path.get("class") == "s32"
    assert path.get("d", "").count("z") == sum((i + j) % 3 == 0 for i in range(side) for j in range(side))
