import json

import pytest
from diagram_examples import DIAGRAMS, example_diagram

from regard.errors import ArgumentError
from regard.pictures.diagrams import BoxColumn, BoxFrame, BoxRow, Diagram, DiagramBox, DiagramWire
from regard.pictures.diagrams.diagram import entries, exits


def box(name, **more):
    return DiagramBox(name, name, **more)


def test_two_boxes_of_one_name_are_refused():
    with pytest.raises(ArgumentError, match="two boxes of a diagram are called 'a'"):
        Diagram("", "", BoxRow((box("a"), box("a"))))


def test_an_arrow_to_nowhere_is_refused():
    with pytest.raises(ArgumentError, match="ends at 'b', which is no box"):
        Diagram("", "", box("a"), (DiagramWire("a", "b"),))


def test_arrows_come_in_at_the_bottom_and_go_out_at_the_top():
    frame = BoxFrame("f", "f", BoxColumn((BoxRow((box("a"), box("b", joins="out"))), box("c"))))
    assert [one.name for one in entries(frame)] == ["a"]
    assert [one.name for one in exits(frame)] == ["c"]
    assert exits(box("a", joins="in")) == []


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_diagram_is_plain_data(name):
    diagram = example_diagram(name)
    data = json.loads(json.dumps(diagram.as_data()))

    def boxes(part):
        return [part] if part["type"] == "box" else [one for inner in part["parts"] for one in boxes(inner)]

    assert [one["name"] for one in boxes(data["part"])] == list(diagram.boxes)
    assert len(data["wires"]) == len(diagram.wires)
    assert data["parameters"] == diagram.parameters
