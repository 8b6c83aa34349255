from dataclasses import replace

from diagram_examples import CONFIGS

from regard.architectures import diagram_of

MEMORY = CONFIGS["memory"]


def wires(config):
    return {(wire.start, wire.end, wire.note) for wire in diagram_of(config).wires if wire.kind == "memory"}


def test_values_of_a_hop_are_the_keys_of_the_next():
    assert wires(MEMORY) == {
        ("table.1", "hop.0", "keys"),
        ("table.2", "hop.0", "values"),
        ("table.2", "hop.1", "keys"),
        ("table.3", "hop.1", "values"),
    }


def test_layerwise_two_tables_serve_every_hop():
    config = replace(MEMORY, tying="layerwise")
    assert {start for start, _, _ in wires(config)} == {"table.1", "table.2"}
    assert diagram_of(config).boxes["output"].lines == ("Table 4 · 40 × 8",)


def test_of_many_hops_the_first_and_the_last_are_drawn():
    diagram = diagram_of(replace(MEMORY, hops=9))
    hops = [box.title for box in diagram.boxes.values() if box.name.startswith("hop.")]
    assert hops == ["Hop 1", "Hop 2", "Hop 3", "Hop 9"]
    assert diagram.boxes["more"].title == "5 more hops"
    assert ("table.9", "hop.3", "keys") in wires(replace(MEMORY, hops=9))


def test_the_state_goes_past_every_hop():
    past = {(wire.start, wire.end) for wire in diagram_of(MEMORY).wires if wire.kind == "residual"}
    assert past == {("hop.0", "add.0"), ("hop.1", "add.1")}


def test_facts_say_what_it_knows():
    assert "words in order" in diagram_of(MEMORY).facts
    blind = diagram_of(replace(MEMORY, memories=0, max_words=0, empty=False, projects=True, copies=3)).facts
    assert {"knows no time", "words in no order", "3 copies side by side"} <= set(blind)
    assert any("matrix" in fact for fact in blind)
