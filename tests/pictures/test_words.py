import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import ShapeError
from regard.pictures import Picture
from regard.pictures.words import group_words, join_labels, word_numbers


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["The", "Ġhos", "tile", "Ġword", "."], ["The", "Ġhostile", "Ġword."]),
        (["▁Hall", "o", "▁Welt", "</s>"], ["▁Hallo", "▁Welt", "</s>"]),
        (["[CLS]", "un", "##believ", "##able", "##", "!", "[SEP]"], ["[CLS]", "unbelievable", "##", "!", "[SEP]"]),
        (["ma@@", "chine", "reads"], ["machine", "reads"]),
        (["low", "er</w>", "case</w>"], ["lower", "case"]),
        (["<s>", "The", "Ġcat"], ["<s>", "The", "Ġcat"]),
        (["a", "cat"], ["a", "cat"]),
        (["c", "a", "t", " ", "s", "a", "t", "\n", "I"], ["cat", " sat", "\nI"]),
    ],
)
def test_words_are_told_from_how_tokens_are_spelled(tokens, words):
    assert join_labels(tokens, word_numbers(tokens)) == words


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_looks_at_a_word_are_added_and_looks_of_a_word_averaged(queries, keys, data):
    down = data.draw(st.lists(st.integers(0, 3), min_size=queries, max_size=queries).map(sorted))
    across = data.draw(st.lists(st.integers(0, 3), min_size=keys, max_size=keys).map(sorted))
    grid = np.random.default_rng(0).dirichlet(np.ones(keys), queries)
    found = np.array(group_words(grid.tolist(), down, across))
    member = np.array([[word == number for number in across] for word in sorted(set(across))], float)
    mean = np.array([[word == number for number in down] for word in sorted(set(down))], float)
    np.testing.assert_allclose(found, mean / mean.sum(1, keepdims=True) @ grid @ member.T)
    np.testing.assert_allclose(found.sum(1), 1)


def test_a_picture_by_words():
    tokens = ["Ġhos", "tile", "Ġword"]
    picture = Picture([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [1, 0, 0]], tokens, tokens, words=True)
    assert picture.rows == picture.columns == ("Ġhostile", "Ġword")
    assert np.allclose(picture.table, [[0.475, 0.525], [1, 0]])


def test_words_can_be_told_by_their_numbers():
    picture = Picture([[0.5, 0.25, 0.25]], ["x"], ["a", "b", "c"], words=(None, [0, 0, None]))
    assert picture.table == [[0.75, 0.25]]
    assert picture.columns == ("ab", "c")


def test_words_need_names_or_numbers_that_fit():
    with pytest.raises(ShapeError, match="give rows or columns"):
        Picture([[1.0]], words=True)
    with pytest.raises(ShapeError, match="a word for each token expected: 1, got 2"):
        Picture([[1.0]], words=(None, [0, 1]))
