"""Which heads are read, at which step.

Also tests: text/align/heads.py.
"""

import pytest
import torch
from torch.testing import assert_close

from regard.errors import RegardError, UnknownName
from regard.looking.align import AlignmentHead, AlignmentHeads, candidates

WEIGHTS = {"decoder.0.cross": torch.rand(2, 3, 4), "decoder.1.cross": torch.rand(2, 3, 4)}


def test_a_shifted_row_is_that_of_the_next_step_and_the_last_has_none():
    plain, shifted = (
        AlignmentHead("decoder.0.cross", 1).of(WEIGHTS),
        AlignmentHead("decoder.0.cross", 1, shifted=True).of(WEIGHTS),
    )
    assert_close(plain, WEIGHTS["decoder.0.cross"][1])
    assert_close(shifted, WEIGHTS["decoder.0.cross"][1][[1, 2, 2]])
    assert_close(AlignmentHead("decoder.0.cross").of(WEIGHTS), WEIGHTS["decoder.0.cross"].mean(0))


def test_a_mix_is_the_weighted_mean():
    look = AlignmentHeads.read("3 decoder.0.cross:1 shifted + decoder.1.cross")
    assert look.layers == ["decoder.0.cross", "decoder.1.cross"]
    expected = 0.75 * WEIGHTS["decoder.0.cross"][1][[1, 2, 2]] + 0.25 * WEIGHTS["decoder.1.cross"].mean(0)
    assert_close(look.of(WEIGHTS), expected)


@pytest.mark.parametrize(
    "text",
    ["align", "decoder.1.cross:3", "decoder.1.cross shifted", "2 decoder.1.cross:3 shifted + decoder.0.cross:11"],
)
def test_it_is_written_as_it_is_read(text):
    assert str(AlignmentHeads.read(text)) == text
    assert AlignmentHeads.read(str(AlignmentHeads.read(text))) == AlignmentHeads.read(text)


@pytest.mark.parametrize("text", ["", "decoder.1.cross:x", "decoder.1.cross backwards", "0 align", "a + + b"])
def test_what_is_no_look_is_told(text):
    with pytest.raises(RegardError, match="names no heads; expected something like"):
        AlignmentHeads.read(text)


def test_a_head_or_a_layer_that_is_not_there_is_told():
    with pytest.raises(RegardError, match=r"decoder.0.cross has 2 heads, counted from 0; there is no head 2"):
        AlignmentHeads.read("decoder.0.cross:2").of(WEIGHTS)
    with pytest.raises(UnknownName, match=r"unknown layer 'decoder.7.cross'"):
        AlignmentHeads.read("decoder.7.cross").of(WEIGHTS)


def test_candidates_are_all_heads_and_means_read_both_ways():
    found = candidates({"decoder.0.cross": 2, "align": 1})
    assert len(found) == len(set(found)) == 2 * (3 + 1)
    assert AlignmentHead("decoder.0.cross", None, shifted=True) in found
    assert AlignmentHead("align", None) not in found  # of one head, the mean is that head
