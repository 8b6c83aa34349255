import pytest
import torch

from regard.errors import ShapeError
from regard.pictures import Album, DivergingScale, LinearScale, Picture


def test_a_picture_is_told_what_it_is_and_names_rows_and_columns_by_number_if_need_be():
    picture = Picture(torch.tensor([[0.5, 0.25, 0.25]]), title="decoder.2.cross", part="head 1")
    assert picture.name == "decoder.2.cross · head 1"
    assert picture.table == [[0.5, 0.25, 0.25]]
    assert picture.names == (["0"], ["0", "1", "2"])
    assert str(picture) == picture.draw()
    assert picture._repr_html_() == picture._repr_svg_() == picture.svg()


def test_notes_stand_beside_the_number_of_their_cell():
    picture = Picture([[0.5, 0.25]], ["a"], ["b", "c"], notes=[["<one>", "two"]])
    assert "a → b: 0.5 &lt;one&gt;</title>" in picture.svg()
    assert "a → c: 0.25 two</title>" in picture.svg()
    with pytest.raises(ShapeError, match="a note for each cell"):
        Picture([[0.5, 0.25]], notes=[["one"]])
    with pytest.raises(ShapeError, match="one or the other"):
        Picture([[0.5, 0.25]], ["a"], ["b", "c"], notes=[["one", "two"]], words=True)


def test_open_ends_are_filled_in_from_all_pictures_that_share_a_scale():
    pictures = [
        Picture([[1.0]], scale="largest"),
        Picture([[4.0]], scale="largest"),
        Picture([[-2.0]], scale="difference"),
    ]
    first, second, third = (picture.colours for picture in Album(pictures).fit_scales().pictures)
    assert first == second == LinearScale(4.0, "largest")
    assert third == DivergingScale(2.0)


def test_several_pictures_are_drawn_below_each_other_with_their_names():
    album = Album([Picture([[1.0]], title="a\x1b", part="1"), Picture([[0.5]], title="a", part="2")])
    assert album.draw() == "a␛ · 1\n██\n\na · 2\n▒▒"
    assert repr(album) == album.draw()


def test_a_grid_without_rows_is_drawn_as_nothing_and_saved_all_the_same(tmp_path):
    for ending in ("svg", "html", "png", "txt"):
        Picture([]).save(tmp_path / f"empty.{ending}")
        assert (tmp_path / f"empty.{ending}").exists()
