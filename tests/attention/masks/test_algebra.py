"""And, or, not: as in logic."""

import torch
from attention.drawn import Recipe, some_masks
from attention.plain import Sizes
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.attention import Causal, Padding, Window
from regard.attention.masks import And

SIZES = Sizes(queries=5, keys=6)
masks = st.builds(lambda seed, terms: Recipe(seed, SIZES, terms), st.integers(0, 99), some_masks(SIZES))
FULL = (SIZES.batch, SIZES.heads, SIZES.queries, SIZES.keys)


def grid(mask):
    return mask.grid(SIZES.queries, SIZES.keys).expand(FULL)


def made(recipe):
    torch.manual_seed(recipe.seed)
    mask, allowed = recipe.mask()
    return (mask, allowed.expand(FULL)) if mask else (Causal(), grid(Causal()))


@settings(max_examples=60)
@given(masks, masks)
def test_the_laws_of_logic_hold(one, other):
    (a, x), (b, y) = made(one), made(other)
    assert torch.equal(grid(a), x)
    assert torch.equal(grid(a & b), x & y)
    assert torch.equal(grid(a | b), x | y)
    assert torch.equal(grid(~a), ~x)
    assert torch.equal(grid(~(a & b)), grid(~a | ~b))
    assert torch.equal(grid(a & ~a), torch.zeros_like(x))


@settings(max_examples=60)
@given(masks)
def test_a_joined_mask_keeps_the_promises_of_its_parts(recipe):
    mask, allowed = made(recipe)
    mask.check(*FULL)
    part = mask.part(slice(1, 2), slice(1, 3)).grid(SIZES.queries, SIZES.keys)
    assert torch.equal(part.expand(1, 2, 5, 6), allowed[1:2, 1:3])
    start, stop = mask.span(SIZES.behind + 1, SIZES.behind + 3, SIZES.keys)
    free = mask.free(SIZES.behind + 1, SIZES.behind + 3, SIZES.keys)
    assert allowed[:, :, 1:4, max(free[0], 0) : max(free[1], 0)].all()
    outside = torch.ones(SIZES.keys, dtype=torch.bool)
    outside[max(start, 0) : max(stop, 0)] = False
    assert not allowed[:, :, 1:4, outside].any()


def test_paddings_are_joined_into_one_so_that_the_kernel_can_take_it():
    left, right = Padding.from_lengths([4, 6], "left", 6), Padding.from_lengths([5, 3], "right", 6)
    mask = Causal() & left & (right & Causal())
    assert isinstance(mask, And)
    assert mask.parts[0] == Causal()
    assert len(mask.parts) == 2
    assert torch.equal(mask.parts[1].attention_mask, left.attention_mask & right.attention_mask)
    is_causal, rest = mask.split(6, 6)
    assert is_causal
    assert isinstance(rest, Padding)
    assert isinstance(left & right, Padding)


def test_a_mask_said_twice_is_said_once():
    assert Causal() & Causal() == Causal()
    assert Window(2) & Window(2) == Window(2)


def test_masks_print_as_they_are_written():
    padding = Padding.from_lengths([2, 3])
    assert repr(Causal() & padding) == "Causal() & Padding(2, 3 tokens of 3)"
    assert repr(~(Causal() | Window(1))) == "~(Causal() | Window(before=1, after=0))"
    assert repr((Causal() | Window(1)) & ~padding) == (
        "(Causal() | Window(before=1, after=0)) & ~Padding(2, 3 tokens of 3)"
    )
    padded_or_near = (Causal() & padding) | Window(1)
    assert repr(padded_or_near) == "(Causal() & Padding(2, 3 tokens of 3)) | Window(before=1, after=0)"
