from diagram_examples import CONFIGS

from regard.architectures import diagram_of


def test_a_picture_is_cut_into_patches_with_a_token_in_front():
    boxes = diagram_of(CONFIGS["vision"]).boxes
    assert boxes["pieces"].lines[0] == "9 of 2 × 2"
    assert boxes["positions"].lines[0] == "10 learned"
    assert boxes["token"].parameters == 24


def test_without_positions_patches_are_a_set():
    diagram = diagram_of(CONFIGS["mean"])
    assert {"token", "positions", "embed_add"}.isdisjoint(diagram.boxes)
    assert "no positions: a set of patches" in diagram.facts
    assert "of the mean" in diagram.boxes["labels"].lines


def test_the_state_decides_where_to_look_next():
    wires = {(wire.start, wire.end) for wire in diagram_of(CONFIGS["glimpse"]).wires if wire.kind == "cross"}
    assert ("state.1", "where.2") in wires
