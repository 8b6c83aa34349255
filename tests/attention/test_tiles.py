"""How queries x keys is cut up: within the budget, across no group, and nothing lost.

Also tests: attention/pattern_tiles.py.
"""

import pytest
import torch
from attention.drawn import blocks_of, budgets, cases
from attention.test_attend import random_heads
from hypothesis import given, settings
from hypothesis import strategies as st

from regard.attention import Additive, Causal, Pattern, Window, tiles
from regard.attention.pattern_tiles import weight_tiles
from regard.attention.tiles import cut, pieces, rows_within, span, widest

sizes = st.integers(1, 40)


@settings(max_examples=200)
@given(sizes, st.integers(1, 4), st.integers(1, 4), sizes, sizes, st.sampled_from([1, 16, 100, 5000]))
def test_a_piece_keeps_to_the_budget_and_to_its_group(batch, groups, shared, queries, width, budget):
    with blocks_of(budget, rows=8):
        size = cut(batch, groups * shared, groups, queries, width)
    assert min(size) >= 1
    assert size.batch <= batch
    assert size.heads % shared == 0 or shared % size.heads == 0
    assert size.batch * size.heads * size.rows * width <= max(budget, width)
    if size.batch > 1:
        assert size.heads == groups * shared


@settings(max_examples=100)
@given(sizes, sizes, st.integers(0, 30), st.integers(0, 30), st.sampled_from([16, 100, 2000]))
def test_blocks_under_a_window_keep_to_the_budget(queries, keys, before, after, budget):
    query, key = torch.zeros(1, 2, queries, 1), torch.zeros(1, 2, keys, 1)
    mask = Window(before, after)
    with blocks_of(budget):
        for members, heads, lines in Pattern(query, key, mask=mask).blocks():
            for rows in lines:
                seen = span(mask, rows, queries, keys)
                tall = rows.stop - rows.start
                area = (members.stop - members.start) * (heads.stop - heads.start) * tall * (seen.stop - seen.start)
                assert area <= budget or tall <= tiles.ROWS


@settings(max_examples=20)
@given(cases(), budgets)
def test_blocks_cover_every_row_of_every_head_once(recipe, budget):
    pattern = recipe().pattern
    count = torch.zeros(pattern.shape[:3])
    with blocks_of(budget):
        for members, heads, lines in pattern.blocks():
            for rows in lines:
                count[members, heads, rows] += 1
    assert (count == 1).all()


@settings(max_examples=20)
@given(cases(("softmax",)), budgets)
def test_tiles_hold_all_weights_and_the_rest_are_zero(recipe, budget):
    pattern = recipe().pattern
    whole = torch.zeros(pattern.shape)
    with blocks_of(budget), torch.no_grad():
        for (members, heads, rows, columns), weights in weight_tiles(pattern):
            whole[members, heads, rows, columns] = weights
        torch.testing.assert_close(whole, pattern.weights())


@given(st.integers(0, 30), st.integers(1, 9))
def test_pieces_follow_each_other(size, step):
    found = list(pieces(size, step))
    assert [index for piece in found for index in range(piece.start, piece.stop)] == list(range(size))
    assert all(piece.stop - piece.start == step for piece in found[:-1])


@pytest.mark.parametrize("queries", [1, 5, 9, 12])
@pytest.mark.parametrize(
    "mask", [None, Causal(), Window(2, 1), Window(0, 20), Causal() & Window(3), ~Causal()], ids=repr
)
def test_nothing_is_seen_outside_a_span(mask, queries):
    keys = 9
    for rows in pieces(queries, 3):
        seen = span(mask, rows, queries, keys)
        assert 0 <= seen.start <= seen.stop <= keys
        assert widest(mask, 3, queries, keys) >= seen.stop - seen.start
        if mask is not None:
            allowed = mask.grid(queries, keys)[..., rows, :].clone()
            allowed[..., seen] = False
            assert not allowed.any()


def test_a_comparison_that_holds_vectors_gets_smaller_blocks():
    query, key, _ = random_heads(1, 2, 64, 64, 8)
    with blocks_of(64 * 64):
        plain = list(Pattern(query, key).blocks())
        costly = list(Pattern(query, key, Additive(torch.randn(2, 8))).blocks())
    assert sum(len(lines) for *_, lines in costly) == 8 * sum(len(lines) for *_, lines in plain)


def test_no_queries_need_no_rows():
    assert list(pieces(0, rows_within(Causal(), cut(1, 1, 1, 0, 1), 0, 4, 1))) == []
