"""Many callers at once: texts that are asked for while others are answered are answered together.

    async with AsyncTask(translator, beam=4) as translate:
        one, two = await asyncio.gather(translate("Where is the station?"), translate("It rains."))

One thread asks the model, so the event loop is never held up. A text costs no more company than it wants: answers never
depend on which texts are asked about together, and an error is that of its own text.
"""

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, Generic, TypeVar

from regard.errors import ArgumentError, RegardError

MOST_TEXTS = 256  # that are answered together
TaskAnswer = TypeVar("TaskAnswer")
Outcome = tuple[Any, RegardError | None]
"""What came of a text: its answer, or what was wrong with it."""


class AsyncTask(Generic[TaskAnswer]):
    """A task that is awaited; `task` is called with lists of texts and with these options. What is edited where it is
    made is edited in all answers. `max_texts` are answered together at most."""

    def __init__(
        self, task: Callable[..., Sequence[TaskAnswer]], *, max_texts: int = MOST_TEXTS, **options: object
    ) -> None:
        if max_texts < 1:
            raise ArgumentError(f"max_texts is 1 or more, got {max_texts}")
        self.task: Callable[..., Sequence[TaskAnswer]] = task
        self.options: dict[str, object] = options
        self.max_texts: int = max_texts
        self._context = contextvars.copy_context()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="regard")
        self._waiting: list[tuple[str, asyncio.Future[TaskAnswer]]] = []
        self._working: asyncio.Task[None] | None = None
        self._is_closed = False

    async def __aenter__(self) -> "AsyncTask[TaskAnswer]":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def __call__(self, text: str) -> TaskAnswer:
        """The answer to one text, as soon as it is there; a caller that is cancelled is not waited for."""
        return await self._ask(text)

    async def all(self, texts: Iterable[str]) -> list[TaskAnswer]:
        """The answers to several texts, in their order."""
        futures = [self._ask(text) for text in texts]
        try:
            return [await future for future in futures]
        finally:
            for future in futures:
                future.cancel()

    async def each(self, texts: Iterable[str]) -> AsyncIterator[TaskAnswer]:
        """The answers one after the other, in the order of the texts, each as soon as it is there."""
        futures = [self._ask(text) for text in texts]
        try:
            for future in futures:
                yield await future
        finally:
            for future in futures:
                future.cancel()

    async def close(self) -> None:
        """Answer what is waiting, and no more."""
        self._is_closed = True
        if self._working is not None:
            await self._working
        self._thread.shutdown(wait=False)

    def _ask(self, text: str) -> "asyncio.Future[TaskAnswer]":
        if self._is_closed:
            raise RegardError("this task was closed: no more texts are answered")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[TaskAnswer] = loop.create_future()
        self._waiting.append((text, future))
        if self._working is None:
            self._working = loop.create_task(self._work())
        return future

    async def _work(self) -> None:
        """Answer whatever waits, some at a time, until nothing does."""
        loop = asyncio.get_running_loop()
        try:
            await asyncio.sleep(0)  # who asks in the same turn is answered together
            while waiting := [pair for pair in self._waiting if not pair[1].done()][: self.max_texts]:
                taken = {id(future) for _, future in waiting}
                self._waiting = [pair for pair in self._waiting if id(pair[1]) not in taken and not pair[1].done()]
                texts = [text for text, _ in waiting]
                try:
                    outcomes = await loop.run_in_executor(self._thread, partial(self._run, texts))
                except BaseException as problem:
                    for _, future in waiting:
                        if not future.done():
                            future.set_exception(problem if isinstance(problem, Exception) else RegardError("ended"))
                    if not isinstance(problem, Exception):
                        raise
                    continue
                for (_, future), (answer, problem) in zip(waiting, outcomes, strict=True):
                    if future.done():
                        continue
                    if problem is None:
                        future.set_result(answer)
                    else:
                        future.set_exception(problem)
        finally:
            self._working = None

    def _run(self, texts: list[str]) -> list[Outcome]:
        return self._context.run(self._answer, texts)

    def _answer(self, texts: list[str]) -> list[Outcome]:
        """The answers; where a text cannot be answered, each alone, so that it is the only one without."""
        try:
            return [(answer, None) for answer in self.task(texts, **self.options)]
        except RegardError as problem:
            if len(texts) == 1:
                return [(None, problem)]
        return [outcome for text in texts for outcome in self._answer([text])]
