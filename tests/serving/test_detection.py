"""Which language a text is in, on sentences that the table was not made from."""

import pytest
from shared import unpacked

from regard.serving.detection import detect_language, language_tables, trigrams


@pytest.mark.parametrize(("language", "column"), [("en", 0), ("de", 1)])
def test_sentences_of_the_news_are_told_apart(language, column):
    lines = unpacked("tests-en-de/newstest2013.tsv.xz").splitlines()[:400]
    texts = [line.split("\t")[column] for line in lines]
    right = sum(detect_language(text, ("de", "en", "fr"))[0].code == language for text in texts)
    assert right >= 0.98 * len(texts)


def test_shares_sum_to_one_and_are_of_the_languages_asked_for():
    detected = detect_language("Wo ist der Bahnhof?", ["de", "en"])
    assert [one.code for one in detected] == ["de", "en"]
    assert sum(one.confidence for one in detected) == pytest.approx(1)


def test_nothing_is_told_by_a_text_without_letters():
    assert [one.confidence for one in detect_language("123 …", ["de", "en"])] == [0.5, 0.5]
    assert detect_language("", []) == []


def test_a_language_without_a_table_is_taken_where_it_is_alone():
    assert [(one.code, one.confidence) for one in detect_language("x", ["zz"])] == [("zz", 1.0)]
    assert [one.code for one in detect_language("the house", ["zz", "en"])] == ["en", "zz"]


def test_words_are_taken_apart_with_the_spaces_around_them():
    assert list(trigrams("Ab 1 c")) == [" ab", "ab ", " c "]
    assert all(len(trigram) == 3 for table in language_tables().values() for trigram in table)
