"""Strangers' texts share steps: whatever waits and is to be written in the same way is written side by side.

A request is a list of pieces (sentences or prompts). Its pieces are taken in turn with those of the others, one from
each, so that a short request is done while a long one is under way; no batch is so large that the next waits long. What
comes of a piece does not depend on the others beside it, so nobody sees that they were there.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from regard.errors import RegardError
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import FullQueue, Stopping, TooManyTexts


class Abandoned(Exception):
    """Nobody waits for any piece of a batch any more."""


@dataclass(eq=False)
class Piece:
    """Something to be written: `tokens` is how much room it takes in a batch, `content` and `result` are the
    business of whoever writes. `on_token` is told of what is written, from the thread that writes."""

    content: Any
    tokens: int
    on_token: Callable[[Any], None] | None = None
    result: Any = None
    submission: "Submission | None" = None

    @property
    def is_wanted(self) -> bool:
        return self.submission is None or not self.submission.is_cancelled


@dataclass(eq=False)
class Submission:
    """The pieces of one request, which are all written in the way that `key` says."""

    key: Hashable
    pieces: Sequence[Piece]
    client: str
    on_done: Callable[[], None]
    waiting: deque[Piece] = field(default_factory=deque)
    unfinished: int = 0
    problem: BaseException | None = None
    is_cancelled: bool = False


Write = Callable[[Hashable, Sequence[Piece], Callable[[], None]], None]
"""Writes pieces of one key, and sets the result of each. It calls its last argument now and then, which raises once
nobody waits for them any more."""


class Batcher:
    """One thread that writes what waits, some pieces at a time."""

    def __init__(self, name: str, write: Write, limits: ServiceLimits) -> None:
        self.write = write
        self.limits = limits
        self.submissions: deque[Submission] = deque()
        self.changed: threading.Condition = threading.Condition()
        self.is_stopping: bool = False
        self.batches: int = 0
        self.batched_pieces: int = 0
        self.thread: threading.Thread = threading.Thread(target=self.work, name=f"regard-{name}", daemon=True)
        self.thread.start()

    @property
    def waiting(self) -> int:
        """How many pieces wait or are being written."""
        with self.changed:
            return sum(submission.unfinished for submission in self.submissions)

    async def submit(self, key: Hashable, pieces: Sequence[Piece], client: str) -> None:
        """Wait until all pieces have their results; whoever stops waiting takes them back."""
        if not pieces:
            return
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def on_done() -> None:
            with suppress(RuntimeError):  # the server has stopped, and nobody hears it
                loop.call_soon_threadsafe(done.set)

        submission = Submission(key, pieces, client, on_done, deque(pieces), len(pieces))
        self.add(submission)
        try:
            await done.wait()
        except asyncio.CancelledError:
            self.cancel(submission)
            raise
        if submission.problem is not None:
            raise submission.problem

    def add(self, submission: Submission) -> None:
        with self.changed:
            if self.is_stopping:
                raise Stopping
            waiting = sum(other.unfinished for other in self.submissions)
            of_client = sum(other.unfinished for other in self.submissions if other.client == submission.client)
            if of_client and of_client + submission.unfinished > self.limits.waiting_of_client:
                raise TooManyTexts(of_client)
            if waiting and waiting + submission.unfinished > self.limits.waiting:
                raise FullQueue(waiting)
            for piece in submission.pieces:
                piece.submission = submission
            self.submissions.append(submission)
            self.changed.notify_all()

    def cancel(self, submission: Submission) -> None:
        """Take back what is not written yet; what is being written ends with its batch."""
        with self.changed:
            submission.is_cancelled = True
            submission.waiting.clear()
            if submission in self.submissions:
                self.submissions.remove(submission)
            self.changed.notify_all()

    def next_batch(self) -> tuple[Hashable, list[Piece]]:
        """One piece of each request in turn, those that waited longest first, for as long as there is room."""
        ready = [submission for submission in self.submissions if submission.waiting]
        key = ready[0].key
        turns = deque(submission for submission in ready if submission.key == key)
        batch: list[Piece] = []
        width = 0
        while turns and len(batch) < self.limits.batch_texts:
            submission = turns.popleft()
            piece = submission.waiting[0]
            width = max(width, piece.tokens)
            if batch and width * (len(batch) + 1) > self.limits.batch_tokens:
                break
            batch.append(submission.waiting.popleft())
            if submission.waiting:
                turns.append(submission)
        taken = {id(piece.submission) for piece in batch}
        self.submissions = deque(sorted(self.submissions, key=lambda one: id(one) in taken and bool(one.waiting)))
        return key, batch

    def work(self) -> None:
        while True:
            with self.changed:
                while not any(submission.waiting for submission in self.submissions):
                    if self.is_stopping and not self.submissions:
                        return
                    self.changed.wait()
                key, batch = self.next_batch()
                self.batches += 1
                self.batched_pieces += len(batch)
            self.write_batch(key, batch)
            self.settle(batch)

    def write_batch(self, key: Hashable, batch: Sequence[Piece]) -> None:
        """Write a batch; where that fails, each request by itself, so that none suffers from another."""

        def check_wanted() -> None:
            if not any(piece.is_wanted for piece in batch):
                raise Abandoned

        try:
            self.write(key, batch, check_wanted)
        except Abandoned:
            return
        except BaseException as problem:
            groups: dict[int, list[Piece]] = {}
            for piece in batch:
                groups.setdefault(id(piece.submission), []).append(piece)
            if len(groups) > 1:
                for group in groups.values():
                    self.write_batch(key, group)
                return
            if not isinstance(problem, RegardError):
                logging.getLogger("regard").exception("a batch failed")
            submission = batch[0].submission
            assert submission is not None
            submission.problem = problem

    def settle(self, batch: Sequence[Piece]) -> None:
        """Tell those whose last piece this was."""
        with self.changed:
            for piece in batch:
                submission = piece.submission
                assert submission is not None
                submission.unfinished -= 1
                if submission.problem is not None:
                    submission.waiting.clear()
                    submission.unfinished = 0
                if submission.unfinished <= 0 and submission in self.submissions:
                    self.submissions.remove(submission)
                    submission.on_done()

    def stop(self) -> None:
        """Take nothing on any more, and wait until all that was begun is done."""
        with self.changed:
            self.is_stopping = True
            self.changed.notify_all()
        self.thread.join()
