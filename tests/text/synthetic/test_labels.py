"""Sequences that labels stand for."""

from random import Random

import pytest

from regard.text.synthetic.labels import STEPS, LabelTask

WRITTEN = {
    "rising d 4": "d e f g",
    "falling d 4": "d c b a",
    "falling b 4": "b a h g",
    "steady d 3": "d d d",
    "swinging d 5": "d e d e d",
    "climbing d 6": "d f e g f h",
}


@pytest.mark.parametrize("labels", WRITTEN)
def test_labels_stand_for_their_sequence(labels):
    kind, first, length = labels.split()
    assert " ".join(LabelTask(symbols=8).sequence(kind, first, int(length))) == WRITTEN[labels]


def test_a_line_holds_the_labels_and_what_they_stand_for():
    random, task, kinds = Random(3), LabelTask(min_length=2, max_length=6), set()
    for _ in range(100):
        (kind, first, length), written = (side.split() for side in task.draw(random, "train").split("\t"))
        assert written[0] == first
        assert len(written) == int(length)
        assert 2 <= len(written) <= 6
        assert written == task.sequence(kind, first, int(length))
        kinds.add(kind)
    assert kinds == set(STEPS)
