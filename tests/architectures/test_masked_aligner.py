from regard.architectures import diagram_of
from regard.families import EXAMPLES
from regard.models import build

CONFIG = EXAMPLES["masked-aligner"]().config


def test_only_the_last_layer_looks_at_the_other_text():
    names = list(diagram_of(CONFIG).boxes)
    assert [name for name in names if name.startswith("words.")] == ["words.0", "words.1"]
    assert names.index("words.1") < names.index("cross") < names.index("feed_forward.1")
    assert names.index("feed_forward.0") < names.index("words.1")


def test_keys_and_values_come_from_the_reader_and_from_nothing():
    assert {(wire.start, wire.end) for wire in diagram_of(CONFIG).wires if wire.kind == "cross"} == {
        ("nothing", "cross")
    }


def test_parameters_are_those_of_the_model():
    assert diagram_of(CONFIG).parameters == sum(weight.numel() for weight in build(CONFIG).parameters())
