"""Positions that edits name and texts never reach, step by step and at once."""

import pytest
import torch
from looking.readers import HEADS, WIDTH, stream
from looking.test_set_weights import made

import regard
from regard.attention import Causal, Padding, Pattern
from regard.decoding import decode
from regard.layers import MultiHead
from regard.looking.reach import Reach, keys_so_far, tokens_of

HIDE, SET = {"do": "hide", "positions": [3, -9]}, {"do": "set", "rows": [6], "weights": [1.0], "heads": None}


def test_the_most_tokens_count_and_either_end():
    reach = Reach()
    for tokens in (2, 5, 4):
        reach.note_length(HIDE, "decoder.0.self", tokens)
    assert reach.unreached() == ["the hidden position -9 was never reached: 5 tokens at most"]
    reach.note_length(HIDE, "decoder.1.self", 9)
    assert reach.unreached() == []


def test_what_another_edit_reached_was_reached():
    reach = Reach()
    reach.note_length({"do": "hide", "positions": [3]}, "decoder.0.self", 2)
    assert len(reach.unreached()) == 1
    reach.note_length(dict(HIDE), "decoder.1.self", 9)
    assert reach.unreached() == []


def test_positions_of_a_source_are_none_that_may_still_come():
    reach = Reach()
    for layer in ("encoder.0.self", "decoder.0.cross", "hop.1", "align"):
        reach.note_length(HIDE, layer, 1)
    for layer in ("encoder.0.self", "hop.1"):
        reach.note_length(SET, layer, 1)
    assert reach.unreached() == []
    reach.note_length(SET, "decoder.0.cross", 5)
    assert reach.unreached() == ["the row 6 was never reached: 5 tokens at most"]


def test_many_positions_are_shortened():
    reach = Reach()
    reach.note_length({"do": "hide", "positions": [*range(100)]}, "decoder.0.self", 10)
    (line,) = reach.unreached()
    assert (
        line
        == "the hidden positions 10, 11, 12, 13, 14, 15, 16, 17, … (90 in all) were never reached: 10 tokens at most"
    )


@pytest.mark.parametrize("side", ["left", "right"])
def test_padding_is_no_token(side):
    query, key = torch.randn(2, 2, HEADS, 7, 4).unbind()
    pattern = Pattern(query, key, mask=Causal() & Padding.from_lengths([3, 5], side, 7))
    assert keys_so_far(pattern) == tokens_of(pattern, HIDE, "decoder.0.self") == 5
    assert tokens_of(Pattern(query, key[:, :, :4]), SET, "decoder.0.cross") == 7


@pytest.mark.parametrize("row", [1, 3])
def test_a_row_of_a_translation_that_is_too_short_is_told(row):
    model, source = made("translator"), torch.tensor([[3, 4, 5, 6, 7]])
    record = {"do": "set", "layer": "decoder.0.cross", "heads": [0], "rows": [row], "weights": [0.2] * 5}

    def write():
        with regard.edit(model, [record]):
            decode(model, source, prefix=torch.tensor([[1]]), max_new_tokens=3, min_new_tokens=3)

    if row == 1:
        write()
    else:
        with pytest.warns(UserWarning, match="the row 3 was never reached: 3 tokens at most"):
            write()


def test_a_gradient_that_computes_again_is_no_other_text():
    layer, x = MultiHead(WIDTH, HEADS), stream(length=4)
    with regard.edit(layer) as edit:
        edit.hide([3])
        torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False).sum().backward()


@pytest.mark.parametrize("position", [2, 3])
def test_a_position_that_direct_decoding_did_not_reach_is_told_by_engine_and_model_alike(position):
    model, source = made("translator"), torch.tensor([[3, 4, 5, 6, 7]])

    def write():
        with regard.edit(model) as edit:
            edit.hide(target=[position])
            decode(model, source, prefix=torch.tensor([[1]]), max_new_tokens=3, min_new_tokens=3)

    if position == 2:
        write()
    else:
        with pytest.warns(UserWarning, match="the hidden position 3 was never reached: 3 tokens at most"):
            write()


def test_a_batch_of_no_texts_has_no_tokens():
    query = torch.zeros(0, HEADS, 3, WIDTH // HEADS)
    assert keys_so_far(Pattern(query, query, mask=Padding(torch.ones(0, 3, dtype=torch.bool)))) == 0


def test_a_steering_vector_whose_start_never_comes_is_told():
    writer = regard.load("shakespeare")
    vector = torch.ones(writer.model.config.decoder.stack.width)
    edits = [{"do": "add", "site": "decoder.1.stream.after", "start": 90, "value": vector.tolist()}]

    def steer():
        with regard.edit(writer.model, edits):
            return writer("ROMEO:", max_new_tokens=3)

    with pytest.warns(UserWarning, match="the edited position 90 was never reached: "):
        steered = steer()
    assert steered.text == writer("ROMEO:", max_new_tokens=3).text
    with regard.edit(writer.model) as edit:
        edit.site("decoder.1.stream.after", start=3, stop=90).add(torch.arange(len(vector)) * 0.1)
        reached = writer("ROMEO:", max_new_tokens=6)  # no warning: the text came so far, and need not come to its stop
    assert reached.text != writer("ROMEO:", max_new_tokens=6).text
