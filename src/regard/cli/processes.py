"""Chunks of texts answered by several processes at once, in their order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from regard.cli.texts import TextChunk


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
    from concurrent.futures import Future, ProcessPoolExecutor

    threads = max(1, len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0]) // count)
    context: Any = multiprocessing.get_context("spawn")
    waiting: deque[Future[AnsweredChunk]] = deque()
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=start_worker, initargs=(prepare, threads))
    try:
        for chunk in chunks:
            waiting.append(pool.submit(answer_chunk, chunk))
            while len(waiting) >= 2 * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
