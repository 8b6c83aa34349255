"""Texts with a tag for some of their words."""

import pytest

from regard.text import DataError
from regard.text.tagged import TaggedCorpus


def corpus(tmp_path, text):
    path = tmp_path / "tags.tsv"
    path.write_text(text)
    return TaggedCorpus(path)


def test_tags_that_occur_are_known_in_order_without_the_one_for_none(tmp_path):
    tagged = corpus(tmp_path, "a b c\t- X A\nd e\tX -\n")
    assert list(tagged) == [("a b c", "- X A"), ("d e", "X -")]
    assert tagged.tags() == ("A", "X")


def test_a_word_without_a_tag_is_an_error_that_says_where(tmp_path):
    with pytest.raises(DataError, match=r"tags\.tsv:2: 3 words and 2 tags, one each expected"):
        list(corpus(tmp_path, "a b\t- X\na b c\t- X\n"))
