"""Others load what we export, and write what we write as often as they write what each other writes."""

import pytest
from builtin.peers import ctranslate2, transformers
from builtin.shipped import DIRECTIONS, folder, translations

pytestmark = pytest.mark.proof


def agreement(one, other):
    return sum(mine == yours for mine, yours in zip(one, other, strict=True)) / len(one)


@pytest.mark.parametrize("name", DIRECTIONS)
def test_we_agree_with_two_peers_as_often_as_they_do(name):
    folder(name)
    ours, theirs = [one.text for one in translations(name)], [ctranslate2(name), transformers(name)]
    between = agreement(*theirs)
    found = [agreement(ours, one) for one in theirs]
    print(f"{name}: CTranslate2 and transformers {between:.2%}, ours with each {found[0]:.2%} and {found[1]:.2%}")
    assert min(found) >= between - 0.01
