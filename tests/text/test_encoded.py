"""A text that is too long loses its end, a pair that of its longer text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.encoded import Encoded


def encoded(texts):
    count = len(texts)
    return Encoded(tuple(range(count)), ("a",) * count, ((0, 1),) * count, (0,) * count, (0,) * count, tuple(texts))


def cut_one_by_one(texts, length):
    """The positions that stay where the last token of the longer text goes, again and again."""
    positions = list(range(len(texts)))
    while len(positions) > length:
        present = [texts[position] for position in positions]
        longer = max((0, 1), key=present.count)
        if longer not in present:
            break
        del positions[len(present) - 1 - present[::-1].index(longer)]
    return tuple(positions)


@given(st.lists(st.sampled_from([None, 0, 1]), max_size=12), st.integers(0, 14))
def test_the_longer_text_is_cut_first(texts, length):
    assert encoded(texts).cut(length).ids == cut_one_by_one(texts, length)


@pytest.mark.parametrize("length", [12, 99_998])
def test_a_long_text_is_cut_in_one_go(length):
    cut = encoded([None, *[0] * 60_000, None, *[1] * 40_000, None]).cut(length)
    assert len(cut) == length
    assert cut.ids[-1] == 100_002
