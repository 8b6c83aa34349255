"""Chunks that several threads answer: their order, who has how many threads, what is wrong, and whoever stops."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from regard.cli.processes import MOST_THREADS, AnsweredChunk, in_threads
from regard.cli.texts import ChunkProgress, TextChunk
from regard.engine.threads import all_threads, set_thread_count, shared_threads, thread_count
from regard.errors import RegardError


def chunks(count: int, size: int = 3) -> Iterator[TextChunk]:
    for number in range(count):
        yield TextChunk([f"{number}.{text}" for text in range(size)], number * size + 1, (number + 1) * 10)


def shout(chunk: TextChunk, report: Callable[[int], None] | None = None) -> AnsweredChunk:
    for _ in chunk.texts:
        if report is not None:
            report(1)
    return AnsweredChunk(chunk, [text + "!" for text in chunk.texts], [])


def nobody(chunk: TextChunk) -> None:
    return None


@pytest.fixture
def four_threads() -> Iterator[None]:
    before = all_threads()
    set_thread_count(4)
    yield
    set_thread_count(before)


def test_answers_come_in_the_order_of_their_texts_though_the_first_takes_longest() -> None:
    def slow_at_first(chunk: TextChunk, report: Callable[[int], None] | None = None) -> AnsweredChunk:
        if chunk.first == 1:
            assert others.wait(30)
        else:
            others.set()
        return shout(chunk, report)

    others = threading.Event()
    lines = [line for one in in_threads(chunks(7), slow_at_first, nobody, 3) for line in one.lines]
    assert lines == [f"{number}.{text}!" for number in range(7) for text in range(3)]


def test_no_more_is_read_than_is_under_way() -> None:
    taken = 0

    def counted() -> Iterator[TextChunk]:
        nonlocal taken
        for chunk in chunks(50):
            taken += 1
            yield chunk

    answered = in_threads(counted(), shout, nobody, 2)
    for number in range(10):
        next(answered)
        assert taken <= number + 3
    answered.close()


def test_who_is_alone_has_all_threads_and_several_share_them(four_threads: None) -> None:
    assert thread_count() == 4
    with shared_threads():
        assert thread_count() == 4
        with shared_threads():
            assert thread_count() == 2
            with shared_threads():
                assert thread_count() == 1
        assert thread_count() == 4
    assert thread_count() == 4


def test_chunks_that_are_answered_at_a_time_share_the_threads(four_threads: None) -> None:
    meet, shares = threading.Barrier(2), []

    def together(chunk: TextChunk, report: Callable[[int], None] | None = None) -> AnsweredChunk:
        meet.wait(30)
        shares.append(thread_count())
        meet.wait(30)
        return shout(chunk, report)

    assert len(list(in_threads(chunks(4), together, nobody, 2))) == 4
    assert shares == [2, 2, 2, 2]
    assert thread_count() == 4


def test_at_most_so_many_threads_answer() -> None:
    now, most, lock = 0, 0, threading.Lock()

    def count(chunk: TextChunk, report: Callable[[int], None] | None = None) -> AnsweredChunk:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1
        return shout(chunk, report)

    assert len(list(in_threads(chunks(40), count, nobody, 100))) == 40
    assert 1 < most <= MOST_THREADS


def test_what_was_answered_before_a_fault_is_given_before_it() -> None:
    def broken() -> Iterator[TextChunk]:
        yield from chunks(2)
        raise RegardError("line 7 is not UTF-8")

    def refuses(chunk: TextChunk, report: Callable[[int], None] | None = None) -> AnsweredChunk:
        if chunk.first == 4:
            raise RegardError("no")
        return shout(chunk, report)

    answered = in_threads(chunks(5), refuses, nobody, 2)
    assert next(answered).chunk.first == 1
    with pytest.raises(RegardError, match="no"):
        next(answered)
    answered = in_threads(broken(), shout, nobody, 4)
    assert [next(answered).chunk.first, next(answered).chunk.first] == [1, 4]
    with pytest.raises(RegardError, match="line 7"):
        next(answered)


def test_work_ends_at_its_next_report_when_nobody_listens() -> None:
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def endless(chunk: TextChunk, report: Callable[[int], None] | None = None) -> AnsweredChunk:
        assert report is not None
        if chunk.first == 1:
            return shout(chunk)
        begun.release()
        try:
            while True:
                report(0)
                time.sleep(0.001)
        finally:
            ended.release()

    answered = in_threads(chunks(3), endless, nobody, 2)
    next(answered)
    assert begun.acquire(timeout=30)
    answered.close()
    assert ended.acquire(timeout=30)


def test_a_bar_counts_chunks_that_are_under_way_at_a_time() -> None:
    seen: list[float] = []
    progress = ChunkProgress(lambda done, rate="": seen.append(done))
    first, second = (progress.over(chunk) for chunk in chunks(2, size=2))
    assert first is not None
    assert second is not None
    second(1)
    first(1)
    first(1)
    second(1)
    assert seen == [5, 10, 15, 20]
