from dataclasses import replace

import pytest
from diagram_examples import CONFIGS

from regard.architectures import weights
from regard.architectures.inside import block_diagram, find_block
from regard.config.pruning import with_pruned
from regard.errors import RegardError

MARIAN, BERT, LLAMA = CONFIGS["marian"], CONFIGS["bert"], CONFIGS["llama"]


def below(diagram):
    return [box.name for box in diagram.boxes.values()]


def test_attention_is_compare_scale_mask_softmax_gather():
    names = below(block_diagram(CONFIGS["transformer-base"], "encoder.0"))
    steps = [f"self.{step}" for step in ("query", "key", "value", "match", "scale", "mask", "softmax", "gather")]
    assert [name for name in names if name in steps] == steps


def test_the_parts_of_a_block_add_up():
    for name, config in (("encoder.1", MARIAN), ("decoder.0", MARIAN), ("0", BERT), ("1", LLAMA), ("0", CONFIGS["t5"])):
        diagram = block_diagram(config, name)
        assert sum(box.parameters for box in diagram.boxes.values()) == diagram.parameters


def test_a_block_is_a_share_of_its_stack():
    stack = LLAMA.decoder.stack
    whole = weights.stack_weights(replace(stack, final_norm=False)).total()
    assert block_diagram(LLAMA, "0").parameters * stack.layers == whole


def test_norms_stand_before_or_behind():
    def order(pre_norm):
        config = replace(BERT, encoder=replace(BERT.encoder, stack=replace(BERT.encoder.stack, pre_norm=pre_norm)))
        names = below(block_diagram(config, "0"))
        return [name for name in names if name in ("self.fork", "self.norm", "self.query", "self.add")]

    assert order(True) == ["self.fork", "self.norm", "self.query", "self.add"]
    assert order(False) == ["self.fork", "self.query", "self.add", "self.norm"]


def test_dropout_is_drawn_where_there_is_any():
    stack = BERT.encoder.stack
    assert "self.dropout" in below(block_diagram(BERT, "0"))
    plain = replace(stack, dropout=0.0, attention=replace(stack.attention, dropout=0.0))
    config = replace(BERT, encoder=replace(BERT.encoder, stack=plain))
    assert not [name for name in below(block_diagram(config, "0")) if "drop" in name]


def test_masks_are_of_padding_and_of_what_is_ahead():
    boxes = block_diagram(MARIAN, "decoder.0").boxes
    assert boxes["self.mask"].title == "Mask: what is ahead, padding"
    assert boxes["cross.mask"].title == "Mask: padding"
    assert boxes["cross.key"].joins == "out"  # they come from the encoder


def test_rotary_positions_turn_queries_and_keys_and_a_bias_is_added():
    assert "self.rotate" in below(block_diagram(LLAMA, "0"))
    t5 = below(block_diagram(CONFIGS["t5"], "decoder.0"))
    assert "self.bias" in t5
    assert "cross.bias" not in t5
    assert "self.scale" not in t5  # its scores are not scaled


def test_a_gate_has_a_matrix_of_its_own():
    assert "feed_forward.gate" in below(block_diagram(LLAMA, "0"))
    assert "feed_forward.gate" not in below(block_diagram(BERT, "0"))


def test_heads_that_were_taken_out_are_missing_in_their_block_alone():
    pruned = with_pruned(BERT, {"encoder.1.self": [0]})
    assert block_diagram(pruned, "1").boxes["self.join"].title == "Join 3 heads: 3 × 6 = 18"
    assert block_diagram(pruned, "0").boxes["self.join"].title == "Join 4 heads: 4 × 6 = 24"


@pytest.mark.parametrize(
    ("config", "block", "expected"),
    [(MARIAN, "1", ("decoder", 1)), (MARIAN, "encoder.0", ("encoder", 0)), (BERT, "1", ("encoder", 1))],
)
def test_a_number_alone_is_of_the_last_stack(config, block, expected):
    assert find_block(config, block) == expected


@pytest.mark.parametrize("block", ["2", "-1", "x", "decoder.0", "", "encoder.", "encoder.0.1", "1e9"])
def test_a_block_that_is_not_there_is_one_line(block):
    with pytest.raises(RegardError, match=r"--block .*: encoder\.0 to encoder\.1 expected"):
        find_block(BERT, block)


def test_a_model_without_blocks_says_so():
    with pytest.raises(RegardError, match="a MemoryNetwork has no blocks"):
        find_block(CONFIGS["memory"], "0")
