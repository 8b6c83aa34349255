"""Tokens become words."""

import numpy as np
from numpy.testing import assert_allclose

from regard.looking.align import links, word_weights


def test_looks_of_a_word_are_averaged_and_looks_at_a_word_added_up():
    weights = np.random.default_rng(0).dirichlet(np.ones(4), 5).astype(np.float32)
    target, source = (0, 0, None, 2, 2), (0, 1, 1, None)
    found = word_weights(weights, target, source)
    expected = np.zeros((3, 2), dtype=np.float32)
    for row, tokens in ((0, [0, 1]), (2, [3, 4])):
        for column, at in ((0, [0]), (1, [1, 2])):
            expected[row, column] = sum(weights[token, position] for token in tokens for position in at) / len(tokens)
    assert_allclose(found, expected, rtol=1.3e-6, atol=1e-5)
    both = word_weights(np.stack([weights, 2 * weights]), target, source)
    assert_allclose(both[1], 2 * expected, rtol=1.3e-6, atol=1e-5)
    assert word_weights(weights[:, :0], target, ()).shape == (3, 0)


def test_a_row_is_linked_to_what_it_looks_at_most():
    assert links(np.array([[0.1, 0.9], [0.0, 0.0], [0.6, 0.4]])) == {(1, 0), (0, 2)}
    assert links(np.zeros((0, 3))) == frozenset()
    assert links(np.zeros((3, 0))) == frozenset()
