"""Copy, reverse and sort, held to what their names say."""

from random import Random

import pytest

from regard.text.synthetic import SYNTHETIC_TASKS

PLAIN = {"copy": list, "reverse": lambda words: words[::-1], "sort": lambda words: sorted(words)}


@pytest.mark.parametrize("name", PLAIN)
def test_the_answer_is_what_the_name_says(name):
    random, task = Random(5), SYNTHETIC_TASKS[name](symbols=7, min_length=2, max_length=9)
    for _ in range(100):
        source, target = (side.split() for side in task.draw(random, "train").split("\t"))
        assert target == PLAIN[name](source)
        assert 2 <= len(source) <= 9


def test_sorting_knows_words_of_two_letters():
    task = SYNTHETIC_TASKS["sort"](symbols=30)
    assert task.answer(["ab", "b", "aa", "z"]) == ["b", "z", "aa", "ab"]
