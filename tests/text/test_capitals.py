"""Texts in capitals keep their length, and what is no shouting stays."""

import pytest

from regard.text.capitals import in_capitals, large, small


@pytest.mark.parametrize("text", ["WHERE IS THE STATION?", "STOP!", "«ÄRGER» 24", "ICH HEIẞE TOM."])
def test_capitals_become_a_sentence_and_come_back(text):
    assert in_capitals(text)
    assert large(small(text)) == text
    assert len(small(text)) == len(text)
    assert not in_capitals(small(text))


@pytest.mark.parametrize("text", ["Where?", "USA", "NATO-Staat", "", "  ", "?!", "1234", "東京は大きいです", "İZMİR"])
def test_other_texts_are_not_in_capitals(text):
    assert not in_capitals(text)


def test_a_letter_without_one_capital_stays_or_is_written_large():
    assert large("Straße, ŉ, ﬁne") == "STRAẞE, ŉ, ﬁNE"
    assert small("«WO IST TOM?»") == "«Wo ist tom?»"
