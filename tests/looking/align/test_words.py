"""Tokens become words."""

import torch
from torch.testing import assert_close

from regard.looking.align import links, word_weights


def test_looks_of_a_word_are_averaged_and_looks_at_a_word_added_up():
    weights = torch.rand(5, 4).softmax(-1)
    target, source = (0, 0, None, 2, 2), (0, 1, 1, None)
    found = word_weights(weights, target, source)
    expected = torch.zeros(3, 2)
    for row, tokens in ((0, [0, 1]), (2, [3, 4])):
        for column, at in ((0, [0]), (1, [1, 2])):
            expected[row, column] = sum(weights[token, place] for token in tokens for place in at) / len(tokens)
    assert_close(found, expected)
    assert_close(word_weights(torch.stack([weights, 2 * weights]), target, source)[1], 2 * expected)
    assert word_weights(weights[:, :0], target, ()).shape == (3, 0)


def test_a_row_is_linked_to_what_it_looks_at_most():
    assert links(torch.tensor([[0.1, 0.9], [0.0, 0.0], [0.6, 0.4]])) == {(1, 0), (0, 2)}
    assert links(torch.zeros(0, 3)) == frozenset()
    assert links(torch.zeros(3, 0)) == frozenset()
