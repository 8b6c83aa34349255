from io import BytesIO

import pytest
from diagram_examples import example_diagram
from PIL import Image

from regard.errors import RegardError
from regard.pictures.diagrams import BoxRow, Diagram, DiagramBox
from regard.pictures.diagrams.colours import DIAGRAM_DARK, DIAGRAM_LIGHT
from regard.pictures.diagrams.png import png
from regard.pictures.diagrams.scene import compose


def opened(diagram, **options):
    return Image.open(BytesIO(png(diagram, **options)))


@pytest.mark.parametrize("name", ["transformer-base", "before", "memory", "glimpse", "bert block"])
def test_a_png_is_the_scene_twice_as_large(name):
    diagram = example_diagram(name)
    scene, image = compose(diagram), opened(diagram)
    assert image.size == (round(2 * scene.width), round(2 * scene.height))
    assert image.getpixel((1, 1)) == DIAGRAM_LIGHT.paper


def test_boxes_have_their_colours_on_both_grounds():
    diagram = Diagram("", "", DiagramBox("a", ".", kind="attention"))
    for dark, theme in ((False, DIAGRAM_LIGHT), (True, DIAGRAM_DARK)):
        colours = {colour for _, colour in opened(diagram, dark=dark).convert("RGB").getcolors(1 << 20)}
        assert {theme.paper, theme.shade("attention", theme.fill)} <= colours


def test_a_png_that_is_too_large_is_one_line():
    wide = BoxRow(tuple(DiagramBox(str(number), "x" * 200) for number in range(200)))
    with pytest.raises(RegardError, match="is too large"):
        png(Diagram("", "", wide))
