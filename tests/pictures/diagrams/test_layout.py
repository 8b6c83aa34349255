"""Nothing of a diagram stands in another's way, in pixels and in cells.

Also tests: pictures/diagrams/placed.py, pictures/diagrams/routes.py.
"""

from functools import cache
from itertools import combinations, pairwise, product

import pytest
from diagram_examples import DIAGRAMS, example_diagram

from regard.pictures.diagrams import BoxColumn, BoxRow, Diagram, DiagramBox, DiagramWire
from regard.pictures.diagrams.layout import lay_out
from regard.pictures.diagrams.placed import letters_width
from regard.pictures.diagrams.scene import METRICS as PIXELS
from regard.pictures.diagrams.text import METRICS as CELLS

METRICS = {"pixels": PIXELS, "cells": CELLS}


@pytest.fixture(params=METRICS)
def metrics(request):
    return METRICS[request.param]


def solid(sheet):
    return [box for box in sheet.boxes.values() if box.box.form != "point"]


def overlap(one, other):
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


@cache
def sheet_of(name, metrics):
    return lay_out(example_diagram(name), METRICS[metrics])


every = pytest.mark.parametrize(("name", "metrics"), list(product(DIAGRAMS, METRICS)))


@every
def test_boxes_stand_apart_and_on_the_sheet(name, metrics):
    sheet = sheet_of(name, metrics)
    assert not [(a.box.name, b.box.name) for a, b in combinations(solid(sheet), 2) if overlap(a, b)]
    for box in solid(sheet):
        assert 0 <= box.x <= box.x + box.width <= sheet.width + 1e-6
        assert 0 <= box.y <= box.y + box.height <= sheet.height + 1e-6


@every
def test_arrows_go_straight_and_through_no_box(name, metrics):
    sheet, edge = sheet_of(name, metrics), METRICS[metrics].edge
    for wire in sheet.wires:
        for (x, y), (to, below) in pairwise(wire.points):
            assert abs(x - to) < 1e-6 or abs(y - below) < 1e-6
            left, right, top, bottom = min(x, to), max(x, to), min(y, below), max(y, below)
            for box in solid(sheet):
                inside_x = left < box.x + box.width - 1 and right > box.x + 1 - edge
                inside_y = top < box.y + box.height - 1 and bottom > box.y + 1 - edge
                assert not (inside_x and inside_y), (box.box.name, wire)


@every
def test_the_text_of_a_box_has_room(name, metrics):
    for box in solid(sheet_of(name, metrics)):
        if box.box.form in ("box", "slim"):
            widest = max(METRICS[metrics].text_width(text, "line") for text in (box.box.title, *box.box.lines))
            assert widest < box.width


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_drawing_is_no_wider_than_a_page_or_a_terminal(name):
    assert sheet_of(name, "pixels").width <= 520
    assert sheet_of(name, "cells").width <= 92


def box(name, **more):
    return DiagramBox(name, name, **more)


def test_a_column_is_read_from_the_bottom_up(metrics):
    boxes = lay_out(Diagram("", "", BoxColumn((box("a"), box("b")))), metrics).boxes
    assert boxes["b"].y < boxes["a"].y
    assert boxes["a"].width == boxes["b"].width


def test_a_row_is_read_from_left_to_right(metrics):
    sheet = lay_out(Diagram("", "", BoxRow((box("a"), box("b")), joined=True)), metrics)
    (arrow,) = sheet.wires
    assert arrow.points[0] == sheet.boxes["a"].side("right")
    assert arrow.points[-1] == sheet.boxes["b"].side("left")


def test_the_stream_goes_straight_up_through_what_is_wider_on_one_side(metrics):
    row = BoxRow((box("memory", joins="none"), box("b")), stream=1)
    sheet = lay_out(Diagram("", "", BoxColumn((box("a"), row, box("c")))), metrics)
    assert {sheet.boxes[name].centre[0] for name in "abc"} == {sheet.boxes["a"].centre[0]}


def test_a_fork_leaves_the_stream_below_its_start(metrics):
    wire = DiagramWire("b", "c", is_fork=True, side="right")
    sheet = lay_out(Diagram("", "", BoxColumn((box("a"), box("b"), box("c"))), (wire,)), metrics)
    first = sheet.wires[-1].points[0]
    assert first[0] == sheet.boxes["b"].centre[0]
    assert sheet.boxes["b"].bottom[1] < first[1] < sheet.boxes["a"].y + metrics.edge
    assert sheet.wires[-1].points[-1] == sheet.boxes["c"].side("right")


def test_letters_are_wider_where_they_are_more_or_bold():
    assert letters_width("iii", 10) < letters_width("mmm", 10) < letters_width("mmm", 10, bold=True)
    assert letters_width("ab", 20) == pytest.approx(2 * letters_width("ab", 10))
