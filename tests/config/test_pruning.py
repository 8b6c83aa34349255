"""Which heads are gone, as configs say it.

Also tests: config/parts.py.
"""

import pytest
from looking.families import made

from regard.config import AttentionConfig, FeedForwardConfig, StackConfig
from regard.config.pruning import pruned_heads, with_pruned
from regard.errors import RegardError, ShapeError
from regard.models import Aligner, Transformer
from regard.models.parts import build_stack


def test_what_is_taken_out_is_what_is_said():
    config = made("marian")[0].config
    gone = {"encoder.1.self": [3, 0], "decoder.0.cross": [1]}
    assert pruned_heads(config) == {}
    assert pruned_heads(with_pruned(config, gone)) == {"encoder.1.self": [0, 3], "decoder.0.cross": [1]}
    twice = with_pruned(with_pruned(config, {"encoder.1.self": [3]}), {"encoder.1.self": [0], "decoder.0.cross": [1]})
    assert twice == with_pruned(config, gone)
    model = Transformer(with_pruned(config, gone))
    assert model.encoder.stack.blocks[1].self.split.remaining_heads == (1, 2)
    assert model.decoder.stack.blocks[0].cross.split.remaining_heads == (0, 2, 3)
    assert not model.decoder.stack.blocks[0].self.split.is_pruned


def test_a_recurrent_translator_has_one_layer():
    config = with_pruned(made("alignment")[0].config, {"align": [2]})
    assert pruned_heads(config) == {"align": [2]}
    assert Aligner(config).align.split.remaining_heads == (0, 1, 3)


@pytest.mark.parametrize(
    ("gone", "error", "message"),
    [
        ({"encoder.0.cross": [0]}, RegardError, r"has no layer 'encoder\.0\.cross'"),
        ({"encoder.2.self": [0]}, RegardError, r"TransformerConfig has no layer 'encoder\.2\.self'"),
        ({"align": [0]}, RegardError, "has no layer 'align'"),
        ({"encoder.0.self": [4]}, ShapeError, "heads from 0 to 3, not all of them, can be taken out"),
        ({"encoder.0.self": [0, 1, 2, 3]}, ShapeError, "not all of them"),
    ],
)
def test_layers_and_heads_that_there_are_not_are_refused(gone, error, message):
    with pytest.raises(error, match=message):
        with_pruned(made("marian")[0].config, gone)


def test_layers_of_one_block_are_pruned_alike():
    stack = StackConfig(4, 16, AttentionConfig(4), FeedForwardConfig(16), distinct=2)
    alike = {"0.self": [1], "1.self": [1]}
    blocks = build_stack(StackConfig(**(vars(stack) | {"pruned": alike}))).blocks
    assert [block.self.split.remaining_heads for block in blocks] == [(0, 2, 3)] * 2 + [(0, 1, 2, 3)] * 2
    assert blocks[0] is blocks[1]
    with pytest.raises(ShapeError, match="layers 2 to 3 are one block: the same heads are taken out of all, or none"):
        build_stack(StackConfig(**(vars(stack) | {"pruned": {"3.self": [0]}})))
