import sys

import pytest
from PIL import Image

from regard.errors import RegardError
from regard.pictures import Picture
from regard.pictures.colours import DARK, LIGHT
from regard.pictures.png import ZOOM, _fonts
from regard.pictures.sheet import lay_out


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_cell_has_the_colour_of_its_weight(theme, tmp_path):
    picture = Picture([[0.0, 0.25], [0.5, 1.0]], ["a", "b"], ["c", "d"], title="e")
    picture.save(tmp_path / "picture.png", dark=theme is DARK)
    (patch,) = laid_out_of(picture).patches
    with Image.open(tmp_path / "picture.png") as image:
        for i, row in enumerate(picture.table):
            for j, weight in enumerate(row):
                at = tuple(round(ZOOM * (edge + patch.cell * (n + 0.5))) for edge, n in ((patch.x, j), (patch.y, i)))
                assert image.getpixel(at) == theme.colour(weight)


def laid_out_of(picture):
    from regard.pictures import Album

    return lay_out(Album([picture]))


def test_names_are_drawn_to_the_left_of_the_cells_and_above_them(tmp_path):
    picture = Picture([[0.0]], ["wwww"], ["mmmm"])
    picture.save(tmp_path / "picture.png")
    (patch,) = laid_out_of(picture).patches
    left, top = round(ZOOM * patch.x), round(ZOOM * patch.y)
    with Image.open(tmp_path / "picture.png") as image:
        grey = image.convert("L")
        for box in ((0, top + 2, left - 2, top + 34), (left + 2, 0, left + 34, top - 2)):
            assert sum(grey.crop(box).histogram()[:100]) > 40


def test_a_letter_that_no_font_has_is_written_as_its_code():
    assert "".join(part for part, _, _ in _fonts(("a\U00012345b", False))) == "a\\u12345b"


def test_without_pillow_there_is_one_line_that_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(RegardError, match=r"pip install 'regard\[pictures\]'"):
        Picture([[0.5]]).save(tmp_path / "picture.png")
