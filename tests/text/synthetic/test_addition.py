"""Sums, digit by digit."""

from random import Random

import pytest

from regard.text.synthetic.addition import AdditionTask


@pytest.mark.parametrize("lowest_first", [True, False])
def test_the_answer_is_the_sum(lowest_first):
    random, task = Random(4), AdditionTask(digits=3, lowest_first=lowest_first)
    for _ in range(100):
        source, target = task.draw(random, "train").split("\t")
        one, other = source.removesuffix(" =").split(" + ")
        digits = target.split()
        total = "".join(reversed(digits) if lowest_first else digits)
        assert int(one.replace(" ", "")) + int(other.replace(" ", "")) == int(total)
        assert len(digits) == 4
