"""Five thousand damaged folders: each answers, or is refused in one line; none raises anything else, hangs or crashes.

`pytest -m proof tests/checkpoints/test_damage.py -s` prints what each kind of damage came to.
"""

import os
from collections import Counter

import pytest
from checkpoints.damage.cases import Case
from checkpoints.damage.sound import sound_folders
from checkpoints.damage.trial import ask, outcomes

FIRST, CASES = 0, 5000
ONCE_WRONG = [70, 304, 2729, 3267]
"""Seeds of what was found: kept, and tried every time."""


@pytest.fixture(scope="module")
def beside(tmp_path_factory):
    return tmp_path_factory.mktemp("damage")


@pytest.mark.proof
def test_a_folder_that_nothing_is_wrong_with_answers(beside, tmp_path):
    for number, folder in enumerate(sound_folders(beside)):
        case = Case(0, folder.name, folder.does, "", dict(folder.files), is_bad=False)
        case.write(tmp_path / str(number))
        ask(tmp_path / str(number), folder.does)


def test_what_was_wrong_once_is_not_again(beside):
    faults = [outcome for outcome in outcomes([*ONCE_WRONG, *range(20)], beside) if outcome.fault]
    assert not faults


@pytest.mark.proof
def test_no_damage_is_worse_than_a_line(beside):
    os.nice(10)
    counts: Counter[str] = Counter()
    faults = []
    for outcome in outcomes(range(FIRST, FIRST + CASES), beside):
        counts[outcome.result if not outcome.fault else "fault"] += 1
        counts["known to be bad"] += outcome.is_bad
        if outcome.fault:
            faults.append(outcome)
            print(f"seed {outcome.seed}: {outcome}")
    print(f"seeds {FIRST} to {FIRST + CASES - 1}: {dict(counts)}")
    assert counts.total() - counts["known to be bad"] == CASES
    assert not faults
