from diagram_examples import CONFIGS

from regard.architectures import diagram_of


def wires(name, kind="cross"):
    return {(wire.start, wire.end) for wire in diagram_of(CONFIGS[name]).wires if wire.kind == kind}


def test_the_reader_goes_both_ways():
    stream = wires("before", "stream")
    assert ("read.1", "read.2") in stream
    assert ("read.2", "read.1") in stream


def test_before_a_word_the_last_state_asks():
    assert ("write.t−1", "look.t") in wires("before")
    assert ("write.t", "look.t+1") in wires("before")


def test_after_a_word_its_own_state_asks():
    names = list(diagram_of(CONFIGS["after"]).boxes)
    assert names.index("write.t") < names.index("look.t") < names.index("out.t")
    assert not [start for start, end in wires("after") if start.startswith("write")]


def test_between_two_memories_a_second_one_reads_what_was_found():
    names = list(diagram_of(CONFIGS["e2k"]).boxes)
    assert names.index("write.t") < names.index("look.t") < names.index("above.t")


def test_who_does_not_look_only_begins_with_the_source():
    assert wires("blind") == {("annotations", "write.t−1")}


def test_what_is_looked_at_is_told():
    lines = diagram_of(CONFIGS["local"]).boxes["annotations"].lines
    assert lines == (
        "24 numbers for every source word",
        "dot product score · 600",
        "local: predictive, 10 on each side",
    )
