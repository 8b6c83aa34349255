"""Drawings as SVG. Also tests: pictures/diagrams/scene.py."""

from xml.etree import ElementTree

import pytest
from diagram_examples import DIAGRAMS, example_diagram

from regard.pictures.diagrams import BoxColumn, Diagram, DiagramBox
from regard.pictures.diagrams.scene import compose, wrapped
from regard.pictures.diagrams.svg import style

SVG = "{http://www.w3.org/2000/svg}"


def parsed(diagram, **options):
    return ElementTree.fromstring(diagram.svg(**options))


@pytest.mark.parametrize("name", DIAGRAMS)
def test_every_box_says_what_it_is(name):
    diagram = example_diagram(name)
    root = parsed(diagram)
    told = [title.text for title in root.iter(f"{SVG}title")]
    for box in diagram.boxes.values():
        if box.form in ("box", "slim"):
            assert any(text.startswith(box.title) and box.note in text for text in told), box.name
        if box.parameters:
            assert any(f"{box.parameters:,} parameters" in text for text in told)
    assert not list(root.iter(f"{SVG}a"))


@pytest.mark.parametrize("name", ["transformer-base", "before", "memory", "vision"])
def test_links_lead_to_the_code(name):
    diagram = example_diagram(name)
    links = [link.get("href") for link in parsed(diagram, links="../..").iter(f"{SVG}a")]
    sources = {f"../../{box.source}" for box in diagram.boxes.values() if box.source}
    assert sources <= set(links)
    assert all(link.startswith("../../src/regard/") for link in links)


def test_a_drawing_is_light_and_dark_and_needs_nothing_else():
    text = example_diagram("bert-base").svg()
    assert "prefers-color-scheme: dark" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert text.count("--attention-fill:") == 2


def test_everything_stands_on_the_sheet():
    root = parsed(example_diagram("t5-base"))
    width, height = float(root.get("width")), float(root.get("height"))
    for rect in root.iter(f"{SVG}rect"):
        x, y, across, down = (float(rect.get(key)) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + across <= width
        assert 0 <= y <= y + down <= height


def test_names_cannot_break_out():
    hostile = "<script>alert(1)</script>&\"'\u202e\n"
    diagram = Diagram(hostile, hostile, DiagramBox("a", hostile, (hostile,), note=hostile, source=hostile))
    text = diagram.svg(links="x")
    assert "<script" not in text
    root = ElementTree.fromstring(text)
    assert "\u202e" not in "".join(root.itertext())


def test_a_style_has_a_colour_for_every_variable():
    rules, colours = style().split("--paper:", 1)
    used = {part.split(")")[0] for part in rules.split("var(--")[1:]}
    assert used <= {"paper", *(part.split(":")[0].strip() for part in f" {colours}".split("--")[1:])}


def test_facts_stand_in_as_few_lines_as_there_is_room():
    assert wrapped(("a", "b", "c"), 1000, 11) == ["a · b · c"]
    assert wrapped(("a", "b"), 5, 11) == ["a", "b"]


def test_a_drawing_without_parameters_has_no_bar():
    plain = compose(Diagram("a", "b", BoxColumn((DiagramBox("x", "x"),))))
    assert not [mark for group in plain.groups for mark in group.marks if getattr(mark, "style", "").startswith("bar")]
