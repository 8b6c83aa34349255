import pytest

from regard.errors import RegardError, ShapeError, TooLarge, UnknownName, lookup

SCORES = {"dot": 1, "bilinear": 2, "additive": 3}


def test_a_known_name_gives_its_entry():
    assert lookup(SCORES, "bilinear", "score") == 2


def test_an_unknown_name_lists_the_known_ones_and_the_nearest():
    with pytest.raises(UnknownName) as caught:
        lookup(SCORES, "dott", "score")
    assert str(caught.value) == "unknown score 'dott': did you mean 'dot'? known: additive, bilinear, dot"


def test_nothing_is_suggested_where_nothing_is_near():
    with pytest.raises(UnknownName) as caught:
        lookup(SCORES, "xyz", "score")
    assert str(caught.value) == "unknown score 'xyz': known: additive, bilinear, dot"


def test_an_entry_that_is_false_is_still_an_entry():
    assert lookup({"none": None}, "none", "normaliser") is None


@pytest.mark.parametrize(
    ("kind", "builtin"), [(ShapeError, ValueError), (UnknownName, KeyError), (TooLarge, MemoryError)]
)
def test_every_kind_is_ours_and_pythons(kind, builtin):
    error = kind("expected 3, got 4")
    assert isinstance(error, RegardError)
    assert isinstance(error, builtin)
    assert str(error) == "expected 3, got 4"
