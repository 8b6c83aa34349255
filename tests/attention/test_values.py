"""Frozen values are rebuilt with every tensor in them changed."""

import pytest
import torch
from attention.plain import BIAS_EXAMPLES, MASK_EXAMPLES, Sizes
from attention.plain_scores import SCORE_EXAMPLES

from regard.attention import Causal, Padding
from regard.attention.values import describe, map_tensors

MADE = {**MASK_EXAMPLES, **SCORE_EXAMPLES, **BIAS_EXAMPLES}


@pytest.mark.parametrize("name", MADE)
def test_every_part_can_be_copied_with_its_tensors(name):
    made, seen = MADE[name](Sizes())[0], []
    other = map_tensors(made, lambda tensor: seen.append(tensor) or tensor.detach().clone())
    assert type(other) is type(made)
    mine = [value for value in vars(made).values() if isinstance(value, torch.Tensor)]
    theirs = [value for value in vars(other).values() if isinstance(value, torch.Tensor)]
    assert len(seen) == len(mine) == len(theirs)
    for one, copied in zip(mine, theirs, strict=True):
        assert torch.equal(one, copied)
        assert one.data_ptr() != copied.data_ptr() or not one.numel()


def test_tensors_are_found_inside_tuples_and_other_values():
    mask = Causal() & (Padding.from_lengths([1, 2]) | ~Padding.from_lengths([2, 1]))
    seen = []
    map_tensors(mask, lambda tensor: seen.append(tensor) or tensor)
    assert len(seen) == 2
    assert map_tensors("text", seen.append) == "text"


def test_the_original_is_left_alone():
    mask = Padding.from_lengths([1, 2])
    other = map_tensors(mask, lambda tensor: ~tensor)
    assert mask.attention_mask.tolist() == [[True, False], [True, True]]
    assert torch.equal(other.attention_mask, ~mask.attention_mask)


@pytest.mark.parametrize("name", SCORE_EXAMPLES)
def test_a_value_is_described_in_one_line(name):
    score = SCORE_EXAMPLES[name](Sizes()).score
    assert describe(score).startswith(type(score).__name__ + "(")
    assert "tensor(" not in repr(score)
    assert "\n" not in repr(score)
