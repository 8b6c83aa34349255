"""Repeats are all found while there is room, and estimated fairly when there is none."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regard.text.duplicates import DuplicateLines


@pytest.fixture
def chunks_of(monkeypatch):
    return lambda chunk: monkeypatch.setattr("regard.text.duplicates.CHUNK", chunk)


def found(lines, **asked):
    repeats = DuplicateLines(**asked)
    numbers = [repeat for number, line in enumerate(lines) for repeat in repeats.add(line, number)]
    return [*numbers, *repeats.flush()], repeats


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.integers(0, 30)), chunk=st.integers(1, 9))
def test_they_are_those_that_a_set_finds(chunks_of, lines, chunk):
    chunks_of(chunk)
    seen, expected = set(), []
    for number, line in enumerate(lines):
        if line in seen:
            expected.append(number)
        seen.add(line)
    numbers, repeats = found([b"%d" % line for line in lines])
    assert sorted(numbers) == expected
    assert (repeats.count, repeats.share) == (len(expected), 1)


def test_with_too_little_room_the_count_is_near(chunks_of):
    chunks_of(1000)
    lines = [b"%d" % (number % 60_000) for number in range(80_000)]  # 20,000 repeats
    _, repeats = found(lines, most=8000)
    assert repeats.share == 8
    assert sum(len(run) for run in repeats.runs) <= 8000
    assert abs(repeats.count - 20_000) < 2000
    assert found(lines, most=8000)[1].count == repeats.count
