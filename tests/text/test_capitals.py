"""Texts in capitals keep their length, and what is no shouting stays."""

import pytest

from regard.text.capitals import is_in_capitals, to_capitals, to_sentence_case


@pytest.mark.parametrize("text", ["WHERE IS THE STATION?", "STOP!", "«ÄRGER» 24", "ICH HEIẞE TOM."])
def test_capitals_become_a_sentence_and_come_back(text):
    assert is_in_capitals(text)
    assert to_capitals(to_sentence_case(text)) == text
    assert len(to_sentence_case(text)) == len(text)
    assert not is_in_capitals(to_sentence_case(text))


@pytest.mark.parametrize("text", ["Where?", "USA", "NATO-Staat", "", "  ", "?!", "1234", "東京は大きいです", "İZMİR"])
def test_other_texts_are_not_in_capitals(text):
    assert not is_in_capitals(text)


def test_a_letter_without_one_capital_stays_or_is_written_large():
    assert to_capitals("Straße, ŉ, ﬁne") == "STRAẞE, ŉ, ﬁNE"
    assert to_sentence_case("«WO IST TOM?»") == "«Wo ist tom?»"
