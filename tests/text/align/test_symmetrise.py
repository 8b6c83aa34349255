"""Two readings become one: as the pseudo-code that everybody cites says, and by hand."""

import random

import pytest

from regard.errors import UnknownName
from regard.looking.align import SYMMETRIES, symmetrise

BESIDE = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def slow(forward, backward, final):
    """statmt.org/moses, "FactoredTraining.AlignWords", line by line on a grid; English is the target."""
    either = forward | backward
    size = [1 + max((link[side] for link in either), default=-1) for side in (0, 1)]
    points = forward & backward

    def is_free(side, word):
        return all(link[side] != word for link in points)

    added = True
    while added:  # GROW-DIAG
        added = False
        for english in range(size[1]):
            for foreign in range(size[0]):
                if (foreign, english) in points:
                    for down, right in BESIDE:
                        new = foreign + down, english + right
                        if new in either and new not in points and (is_free(1, new[1]) or is_free(0, new[0])):
                            points = points | {new}
                            added = True
    for reading in (forward, backward) if final else ():  # FINAL, FINAL-AND
        for english in range(size[1]):
            for foreign in range(size[0]):
                free = [is_free(1, english), is_free(0, foreign)]
                if (foreign, english) in reading and (any(free) if final == "or" else all(free)):
                    points = points | {(foreign, english)}
    return points


def readings(seed):
    """A partner for most words of either side, near the diagonal."""
    random_ = random.Random(seed)
    source, target = random_.randint(1, 9), random_.randint(1, 9)

    def near(position, mine, other):
        return min(other - 1, max(0, round(position * other / mine) + random_.choice([-2, -1, 0, 0, 0, 1, 2])))

    forward = {(near(at, target, source), at) for at in range(target) if random_.random() < 0.9}
    backward = {(at, near(at, source, target)) for at in range(source) if random_.random() < 0.9}
    return frozenset(forward), frozenset(backward)


@pytest.mark.parametrize(
    ("how", "final"), [("grow-diag", None), ("grow-diag-final", "or"), ("grow-diag-final-and", "and")]
)
def test_it_equals_the_pseudo_code(how, final):
    differ = 0
    for seed in range(300):
        forward, backward = readings(seed)
        found = symmetrise(forward, backward, how)
        assert found == slow(forward, backward, final)
        assert forward & backward <= found <= forward | backward
        differ += found not in (forward & backward, forward | backward)
    assert differ > 50


def test_a_sentence_by_hand():
    """michael geht davon aus , dass er im haus bleibt: michael assumes that he will stay in the house."""
    forward = frozenset({(0, 0), (1, 1), (2, 1), (3, 1), (5, 2), (6, 3), (9, 4), (9, 5), (7, 6), (7, 7), (8, 8)})
    both = frozenset({(0, 0), (1, 1), (5, 2), (6, 3), (9, 5), (7, 6), (8, 8)})
    backward = both | {(4, 2)}
    assert symmetrise(forward, backward, "intersection") == both
    assert symmetrise(forward, backward, "union") == forward | {(4, 2)}
    assert symmetrise(forward, backward, "grow-diag") == forward | {(4, 2)}


def test_a_link_far_from_the_others_is_added_only_at_the_end():
    both, far, half = {(0, 0)}, (5, 5), (5, 0)
    assert symmetrise(frozenset({*both, far}), frozenset(both), "grow-diag") == both
    assert symmetrise(frozenset({*both, far}), frozenset(both), "grow-diag-final-and") == {*both, far}
    assert symmetrise(frozenset({*both, half}), frozenset(both), "grow-diag-final-and") == both
    assert symmetrise(frozenset({*both, half}), frozenset(both), "grow-diag-final") == {*both, half}


def test_nothing_comes_of_nothing():
    for how in SYMMETRIES:
        assert symmetrise(frozenset(), frozenset(), how) == frozenset()
    with pytest.raises(UnknownName, match="unknown way to symmetrise 'grow'"):
        symmetrise(frozenset(), frozenset(), "grow")
