import pytest
from diagram_examples import example_diagram

from regard.errors import UnknownName

STARTS = {".svg": b"<svg ", ".png": b"\x89PNG", ".html": b"<!DOCTYPE html>", ".txt": b"memory\n"}


@pytest.mark.parametrize("ending", STARTS)
def test_the_ending_says_the_form(ending, tmp_path):
    path = tmp_path / f"drawing{ending}"
    example_diagram("memory").save(path)
    assert path.read_bytes().startswith(STARTS[ending])


def test_another_ending_is_one_line(tmp_path):
    with pytest.raises(UnknownName, match=r"unknown ending of a drawing's name '\.bmp': known: \.html, \.png"):
        example_diagram("memory").save(tmp_path / "drawing.bmp")
