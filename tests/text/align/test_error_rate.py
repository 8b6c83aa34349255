"""The error rate: by hand, and equal to what was published for other people's aligners."""

import pytest
from shared import shared

from regard.errors import ShapeError
from regard.looking.align import ErrorRate, Gold, error_rate, read_gold, read_links

DEEN = ("alignment/deen-rwth", "alignment.talp.xz", "deen")
ENFR = ("alignment/enfr-hansards", "enfr.gold.xz", "enfr")
PUBLISHED = {  # lilt/alignment-scripts, recomputed in the README of the shared data
    (DEEN, "giza", ""): 20.96,
    (DEEN, "giza", ".reverse"): 23.12,
    (DEEN, "giza", ".grow-diagonal-final"): 20.55,
    (DEEN, "fastalign", ""): 28.46,
    (DEEN, "fastalign", ".reverse"): 31.96,
    (DEEN, "fastalign", ".grow-diagonal-final"): 27.67,
    (ENFR, "giza", ""): 7.99,
    (ENFR, "giza", ".reverse"): 9.75,
    (ENFR, "giza", ".grow-diagonal"): 5.94,
    (ENFR, "fastalign", ""): 16.39,
    (ENFR, "fastalign", ".reverse"): 15.89,
    (ENFR, "fastalign", ".grow-diagonal"): 10.48,
}


@pytest.mark.parametrize(("where", "tool", "way"), PUBLISHED, ids=lambda value: value if isinstance(value, str) else "")
def test_other_peoples_files_have_their_published_error_rates(where, tool, way):
    folder, gold, pair = where
    gold = read_gold(shared(f"{folder}/{gold}"), first=1)
    found = read_links(shared(f"{folder}/peers/{tool}.test.{pair}{way}.talp.xz"), swap=way == ".reverse")
    assert round(100 * error_rate(found, gold).aer, 2) == PUBLISHED[where, tool, way]


def test_by_hand():
    gold = [Gold(frozenset({(0, 0), (1, 1)}), frozenset({(2, 1)})), Gold(frozenset({(0, 0)}), frozenset())]
    found = [frozenset({(0, 0), (2, 1), (2, 2)}), frozenset()]
    rate = error_rate(found, gold)
    assert rate == ErrorRate(predicted=3, sure_predicted=1, possible_predicted=2, sure=3)
    assert rate.aer == 1 - (1 + 2) / (3 + 3)
    assert rate.precision == 2 / 3
    assert rate.recall == 1 / 3
    assert error_rate([gold[0].sure, gold[1].sure], gold).aer == 0
    assert error_rate([frozenset({(9, 9)}), frozenset()], gold).aer == 1
    assert error_rate([frozenset()], [Gold(frozenset(), frozenset())]).aer == 0


def test_lines_have_to_be_as_many():
    with pytest.raises(ShapeError, match="the gold alignment has 2 lines, expected 1"):
        error_rate([frozenset()], [Gold(frozenset(), frozenset())] * 2)
