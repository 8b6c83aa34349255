import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Causal, Pattern, XLScore
from regard.attention.scores import LearnedXL

ZEROS = torch.zeros(4, 8)


def test_without_u_v_and_distances_it_is_the_dot_product():
    query, key, _ = random_heads()
    assert_close(
        Pattern(query, key, XLScore(ZEROS, ZEROS, torch.zeros(4, 6, 8))).weights(), Pattern(query, key).weights()
    )


def test_u_asks_about_content_and_v_about_distance_whatever_the_query():
    _, key, _ = random_heads()
    u, v, table = torch.randn(4, 8), torch.randn(4, 8), torch.randn(4, 6, 8)
    rows = columns = torch.arange(6)
    scores = XLScore(u, v, table).tile(torch.zeros(2, 4, 6, 8), key, rows, columns) * 8**0.5
    for row in range(6):
        for column in range(row + 1):
            meant = (u * key[:, :, column]).sum(-1) + (v * table[:, row - column]).sum(-1)
            assert_close(scores[:, :, row, column], meant)


def test_a_causal_pattern_needs_no_distances_ahead():
    query, key, _ = random_heads()
    u, v, table = torch.randn(4, 8), torch.randn(4, 8), torch.randn(4, 11, 8)
    whole = Pattern(query, key, XLScore(u, v, table, zero=5), mask=Causal())
    back = Pattern(query, key, XLScore(u, v, table[:, 5:]), mask=Causal())
    assert_close(whole.weights(), back.weights())


def test_a_segment_with_memory_looks_as_the_last_part_of_the_whole():
    query, key, _ = random_heads(queries=9, keys=9)
    module = LearnedXL(heads=4, width=8)
    torch.nn.init.normal_(module.v)
    whole = Pattern(*module(query, key), mask=Causal()).weights()
    later = Pattern(*module(query[:, :, 5:], key), mask=Causal()).weights()
    assert_close(later, whole[:, :, 5:])


def test_odd_widths_have_waves_too():
    query, key, _ = random_heads(width=5)
    assert Pattern(*LearnedXL(heads=4, width=5)(query, key)).weights().isfinite().all()
