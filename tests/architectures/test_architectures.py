"""Every config has its diagram. Also tests: architectures/spelling.py, architectures/shares.py."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from diagram_examples import CONFIGS, DIAGRAMS, example_diagram

from regard.architectures import DIAGRAMS as KINDS
from regard.architectures import diagram_of, spelling
from regard.architectures.weights import count_weights, norm
from regard.config import (
    Config,
    DecoderConfig,
    EmbeddedStackConfig,
    EncoderConfig,
    TransformerConfig,
    VisionConfig,
    XLConfig,
)

ROOT = Path(__file__).parents[2]


def test_every_kind_of_config_can_be_drawn():
    assert set(KINDS) == {*get_args(Config), XLConfig}


@pytest.mark.parametrize("name", DIAGRAMS)
def test_every_box_leads_to_code_that_is_there(name):
    sources = {box.source for box in example_diagram(name).boxes.values() if box.source}
    assert sources
    assert {source for source in sources if not (ROOT / source).is_file()} == set()


@pytest.mark.parametrize("name", CONFIGS)
def test_the_shares_are_all_of_the_parameters(name):
    diagram = example_diagram(name)
    assert sum(share.parameters for share in diagram.shares) == diagram.parameters
    assert diagram.parameters == count_weights(CONFIGS[name]).total()


def repeats(config, name):
    """How many blocks have weights like those of a box."""
    stack = config.stack if isinstance(config, VisionConfig) else getattr(config, name.split(".")[0]).stack
    return len(stack.shared())


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, config in CONFIGS.items()
        if isinstance(config, EncoderConfig | DecoderConfig | TransformerConfig | VisionConfig)
    ],
)
def test_boxes_add_up_to_the_whole(name):
    config, diagram = CONFIGS[name], example_diagram(name)
    in_blocks = {"self", "cross", "feed_forward", "self_norm", "cross_norm", "feed_forward_norm"}
    in_blocks |= {"self_output_norm", "feed_forward_output_norm"}
    total = sum(
        box.parameters * (repeats(config, box.name) if box.name.partition(".")[2] in in_blocks else 1)
        for box in diagram.boxes.values()
    )
    buckets = (
        count_weights(config)["position"] if "t5" in name or "deberta" in name else 0
    )  # a table that has no box: the facts name it
    stacks = [side.stack for side in vars(config).values() if isinstance(side, EmbeddedStackConfig)]
    lacking = sum(norm(stack.norm, stack.width) for stack in stacks if not stack.first_norm)
    assert total + buckets - lacking == diagram.parameters


def test_a_title_is_the_kind_of_model_unless_given():
    assert diagram_of(CONFIGS["memory"]).title == "MemoryNetwork"
    assert diagram_of(CONFIGS["memory"], "mine").title == "mine"


def test_dropout_is_told_where_it_differs():
    stack = replace(CONFIGS["bert"].encoder.stack, dropout=0.1)
    assert spelling.dropout_facts(stack, 0.1)[0] == "dropout 0.1"
    assert spelling.dropout_facts(stack, 0.3)[1] == "dropout of words 0.3"
    assert spelling.dropout_facts(replace(stack, dropout=0.0), 0.0) == ["dropout of weights 0.1"]


@pytest.mark.parametrize(("number", "spelled"), [(1e-5, "1e-5"), (1e-12, "1e-12"), (0.1, "0.1")])
def test_small_numbers_are_spelled_as_people_do(number, spelled):
    assert spelling.power(number) == spelled
