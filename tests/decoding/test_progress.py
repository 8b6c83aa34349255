"""Steps are told as they are taken; tests/tasks/test_steps.py has the same through tasks."""

import numpy as np

from regard.decoding.progress import report_steps
from regard.decoding.single import DecodedStep


def steps():
    """Two texts; the second ends at once."""
    yield DecodedStep(np.array([0, 1]), np.array([5, 2]), np.zeros(2), np.array([False, True]))
    yield DecodedStep(np.array([0]), np.array([6]), np.zeros(1), np.array([False]))


def test_each_step_is_told_with_the_tokens_of_every_text():
    told = []
    taken = report_steps(steps(), 2, 4, lambda step: told.append(([list(ids) for ids in step.ids], step.fraction)))
    assert len(list(taken)) == 2
    assert told == [([[5], []], 0.25), ([[5, 6], []], 0.5)]


def test_without_anybody_to_tell_they_are_the_same():
    assert [step.ids.tolist() for step in report_steps(steps(), 2, 4, None)] == [[5, 2], [6]]
