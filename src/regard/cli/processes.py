"""Chunks of texts answered by several threads or processes at once, in their order."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from regard.cli.texts import TextChunk
from regard.errors import RegardError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

MOST_THREADS = 16  # that answer at once: reading and spelling is Python's, of which one runs at a time
Report = Callable[[int], None]
"""Told how many texts are done."""


@dataclass(frozen=True)
class AnsweredChunk:
    """The lines that are written for a chunk, and what is said of it on standard error."""

    chunk: TextChunk
    lines: list[str]
    warnings: list[str]


@runtime_checkable
class Answer(Protocol):
    """Answers a chunk; `report` is told how many texts are done."""

    def __call__(self, chunk: TextChunk, report: Callable[[int], None] | None = None) -> AnsweredChunk: ...


Prepare = Callable[[], Answer]
"""Loads what answers; it is called once in each process, so it has to be something that can be pickled."""
STATE: dict[str, Answer] = {}


def start_worker(prepare: Prepare, threads: int) -> None:
    from regard.engine.threads import set_thread_count
    from regard.parent_process import end_with_parent

    end_with_parent()
    STATE["answer"] = prepare()
    set_thread_count(threads)


def answer_chunk(chunk: TextChunk) -> AnsweredChunk:
    return STATE["answer"](chunk)


def in_processes(chunks: Iterable[TextChunk], prepare: Prepare, count: int) -> Iterator[AnsweredChunk]:
    """All chunks answered, in their order; each process has one that it works at and one that waits."""
    import multiprocessing
    import os
    from concurrent.futures import ProcessPoolExecutor

    threads = max(1, len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0]) // count)
    context: Any = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=start_worker, initargs=(prepare, threads))
    yield from in_order(chunks, pool, lambda chunk: pool.submit(answer_chunk, chunk), 2 * count)


def in_threads(
    chunks: Iterable[TextChunk], answer: Answer, reports: Callable[[TextChunk], Report | None], count: int
) -> Generator[AnsweredChunk, None, None]:
    """All chunks answered, in their order, by one model: while the engine writes for some, others are read and spelled.

    Each of them has its share of the engine's threads, and the last of all the whole engine. `reports` gives what is
    told how far a chunk is. Closing it stops the work at the next batch.
    """
    from concurrent.futures import ThreadPoolExecutor

    from regard.engine.threads import shared_threads

    is_over = threading.Event()

    def tell(report: Report | None, texts: int) -> None:
        if is_over.is_set():
            raise InterruptedError
        if report is not None:
            report(texts)

    def run(chunk: TextChunk, report: Report | None) -> AnsweredChunk:
        with shared_threads():
            return answer(chunk, partial(tell, report))

    count = min(count, MOST_THREADS)
    pool = ThreadPoolExecutor(count, thread_name_prefix="regard")
    try:
        yield from in_order(chunks, pool, lambda chunk: pool.submit(run, chunk, reports(chunk)), count + 1)
    finally:
        is_over.set()


def in_order(
    chunks: Iterable[TextChunk], pool: "Executor", submit: "Callable[[TextChunk], Future[AnsweredChunk]]", most: int
) -> Iterator[AnsweredChunk]:
    """What becomes of chunks in a pool, in their order; `most` are under way at a time. Where chunks cannot be read on,
    those before it are still answered."""
    waiting: deque[Future[AnsweredChunk]] = deque()
    unread: RegardError | None = None

    def readable() -> Iterator[TextChunk]:
        nonlocal unread
        try:
            yield from chunks
        except RegardError as problem:
            unread = problem

    try:
        for chunk in readable():
            waiting.append(submit(chunk))
            while len(waiting) >= most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        if unread is not None:
            raise unread
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
