"""Weights of two directions are averaged before either has decided."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.align.mean import SURE, mean_links
from regard.text.align.words import balance


def drawn(rows: int, columns: int, seed: int) -> np.ndarray:
    weights = np.random.default_rng(seed).gamma(0.3, size=(rows, columns))
    return weights / weights.sum(1, keepdims=True)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_each_pair_of_words_is_asked_in_both_directions(targets, sources, seed):
    forward, backward = drawn(targets, sources, seed), drawn(sources, targets, seed + 100)
    expected = set()
    for target in range(targets):
        for source in range(sources):
            there, back = balance(forward)[target], balance(backward)[source]
            if (there[source] / there.sum() + back[target] / back.sum()) / 2 > SURE:
                expected.add((source, target))
    assert mean_links(forward, backward) == expected


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_it_does_not_matter_which_direction_is_called_forward(targets, sources, seed):
    forward, backward = drawn(targets, sources, seed), drawn(sources, targets, seed + 100)
    assert mean_links(forward, backward) == {(source, target) for target, source in mean_links(backward, forward)}


def test_a_direction_that_is_unsure_is_outvoted():
    unsure, sure = np.array([[0.45, 0.5, 0.05], [0.1, 0.45, 0.45]]), np.array([[0.95, 0.05], [0.05, 0.95], [0.5, 0.5]])
    assert {(0, 0), (1, 1)} <= mean_links(unsure, sure)


@pytest.mark.parametrize("sizes", [(0, 3), (3, 0), (0, 0)])
def test_a_text_without_words_has_no_links(sizes):
    targets, sources = sizes
    assert mean_links(np.zeros((targets, sources)), np.zeros((sources, targets))) == frozenset()


def test_words_at_the_end_that_one_direction_has_no_tokens_for_have_its_other_half_alone():
    forward, backward = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert mean_links(forward, backward) == {(0, 0), (1, 1), (1, 2)}
