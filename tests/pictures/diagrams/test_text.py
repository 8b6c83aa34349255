import pytest
from diagram_examples import DIAGRAMS, example_diagram

from regard.pictures.diagrams import BoxColumn, BoxRow, Diagram, DiagramBox, DiagramShare, DiagramWire


def box(name, **more):
    return DiagramBox(name, name, **more)


def drawn(part, *wires):
    return Diagram("title", "below it", part, wires).draw()


def test_a_column_is_drawn_from_the_bottom_up():
    assert drawn(BoxColumn((box("a"), box("b")))) == (
        "title\nbelow it\n\n╭───╮\n│ b │\n╰───╯\n  ▲\n╭───╮\n│ a │\n╰───╯\n"
    )


def test_a_row_is_drawn_with_its_arrow():
    assert drawn(BoxRow((box("a"), box("b")), joined=True)).splitlines()[4] == "│ a │────►│ b │"


def test_an_arrow_goes_past_a_box_into_a_sum():
    part = BoxColumn((box("a"), box("b"), box("+", form="sum")))
    lines = drawn(part, DiagramWire("b", "+", side="right", is_fork=True)).splitlines()[3:]
    assert lines == [
        " (+)◄──╮",
        "  ▲    │",
        "╭───╮  │",
        "│ b │  │",
        "╰───╯  │",
        "  ▲    │",
        "  ├────╯",
        "╭───╮",
        "│ a │",
        "╰───╯",
    ]


@pytest.mark.parametrize("name", DIAGRAMS)
def test_every_box_is_drawn_whole(name):
    diagram = example_diagram(name)
    text = diagram.draw()
    for one in diagram.boxes.values():
        for line in (one.title, *one.lines):
            assert one.form == "sum" or line in text, one.name
    forms = [one.form for one in diagram.boxes.values()]
    assert text.count("╭─") >= forms.count("box")
    assert text.count("(+)") == forms.count("sum")
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_what_is_said_below_keeps_to_the_width():
    shares = tuple(DiagramShare("norm", f"part {number}", 1000) for number in range(9))
    lines = Diagram("", "", box("a"), shares=shares, facts=("one fact", "another")).draw(width=40).splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert lines[-1] == "one fact · another"
    assert any(line.startswith("part 0 1.00K (11 %)") for line in lines)
