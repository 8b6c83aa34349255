import pytest

from regard.errors import RegardError, ShapeError, UnknownName
from regard.pictures import Album, Picture, save

PICTURE = Picture([[0.5]], ["a"], ["b"])


@pytest.mark.parametrize(
    ("ending", "begin"), [("svg", b"<svg"), ("PNG", b"\x89PNG"), ("html", b"<!DOCTYPE html>"), ("txt", b"  b")]
)
def test_the_ending_says_the_form(ending, begin, tmp_path):
    save(PICTURE, tmp_path / f"map.{ending}")
    assert (tmp_path / f"map.{ending}").read_bytes().startswith(begin)


def test_an_unknown_ending_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(UnknownName, match=r"ending of a picture's name '.gif'.*known: .html, .png, .svg, .txt"):
        save(PICTURE, tmp_path / "map.gif")


def test_where_nothing_can_be_written_one_line_says_so(tmp_path):
    with pytest.raises(RegardError, match=r"cannot be written \(No such file"):
        save([PICTURE], tmp_path / "nowhere" / "map.svg")


def test_no_picture_is_refused():
    with pytest.raises(ShapeError, match="at least one picture"):
        Album([])
