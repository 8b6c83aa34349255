"""Strangers' texts share steps: whatever waits and can be written beside others joins those that are under way.

A request is a list of pieces (sentences or prompts). Its pieces are taken in turn with those of the others, one from
each, and as soon as there is room: so a short request is done while a long one is under way. What comes of a piece does
not depend on the others beside it, so nobody sees that they were there.
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


@dataclass(eq=False)
class Piece:
    """Something to be written: `tokens` is how much room it takes in a batch; `content`, how it is to be written
    (`config`) and `result` are the business of whoever writes. `on_token` is told of what is written, from the thread
    that writes; then it `has_begun`, and is not written a second time."""

    content: Any
    tokens: int
    config: Any = None
    on_token: Callable[[Any], None] | None = None
    result: Any = None
    submission: "Submission | None" = None
    has_begun: bool = False

    @property
    def is_wanted(self) -> bool:
        return self.submission is None or not self.submission.is_cancelled


@dataclass(eq=False)
class Submission:
    """The pieces of one request; those of one `key` can be written side by side."""

    key: Hashable
    pieces: Sequence[Piece]
    client: str
    on_done: Callable[[], None]
    waiting: deque[Piece] = field(default_factory=deque)
    unfinished: int = 0
    problem: BaseException | None = None
    is_cancelled: bool = False


class RunningBatch:
    """The pieces of one key that are written now: others join as those that are done make room."""

    def __init__(self, batcher: "Batcher", key: Hashable, only: "Sequence[Piece] | None" = None) -> None:
        self.batcher = batcher
        self.key = key
        self.only: list[Piece] | None = None if only is None else list(only)
        self.pieces: list[Piece] = []
        self.has_taken: bool = False

    def take(self) -> list[Piece]:
        """The pieces that join now; none when there are none, no room, or others whose turn it is."""
        self.has_taken = True
        if self.only is None:
            taken = self.batcher.take(self)
        else:
            taken, self.only = self.only, []
        self.pieces += taken
        return taken

    def settle(self, piece: Piece, problem: BaseException | None = None) -> None:
        """A piece has its result, or what it failed for, or nobody waits for it."""
        self.pieces.remove(piece)
        self.batcher.settle(piece, problem)


Write = Callable[[Hashable, RunningBatch], None]
"""Writes what it takes of a batch, and settles each piece, until there is no more to take."""


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
        """Take back what is not written yet; what is being written is left at its next step."""
        with self.changed:
            submission.is_cancelled = True
            submission.waiting.clear()
            if submission in self.submissions:
                self.submissions.remove(submission)
            self.changed.notify_all()

    def take(self, batch: RunningBatch) -> list[Piece]:
        """One piece of each request in turn, those that waited longest first, for as long as there is room. A request
        of another key that has waited longest has its turn when all that is under way is done."""
        with self.changed:
            ready = [submission for submission in self.submissions if submission.waiting]
            if not ready or ready[0].key != batch.key:
                return []
            turns = deque(submission for submission in ready if submission.key == batch.key)
            count, tokens = len(batch.pieces), sum(piece.tokens for piece in batch.pieces)
            taken: list[Piece] = []
            while turns and count < self.limits.batch_texts:
                submission = turns.popleft()
                tokens += submission.waiting[0].tokens
                if count and tokens > self.limits.batch_tokens:
                    break
                taken.append(submission.waiting.popleft())
                count += 1
                if submission.waiting:
                    turns.append(submission)
            served = {id(piece.submission) for piece in taken}
            self.submissions = deque(sorted(self.submissions, key=lambda one: id(one) in served and bool(one.waiting)))
            self.batches += bool(taken)
            self.batched_pieces += len(taken)
            return taken

    def work(self) -> None:
        while True:
            with self.changed:
                while not any(submission.waiting for submission in self.submissions):
                    if self.is_stopping and not self.submissions:
                        return
                    self.changed.wait()
                key = next(submission.key for submission in self.submissions if submission.waiting)
            self.run(RunningBatch(self, key))

    def run(self, batch: RunningBatch) -> None:
        """Write a batch; where that fails, each request by itself, so that none suffers from another."""
        problem: BaseException = RuntimeError("a piece was not written")
        try:
            self.write(batch.key, batch)
        except BaseException as raised:
            problem = raised
            if not batch.has_taken:  # it fails whoever asks: those who wait are told
                batch.take()
        groups: dict[int, list[Piece]] = {}
        for piece in batch.pieces:
            groups.setdefault(id(piece.submission), []).append(piece)
        for group in groups.values():
            if len(groups) > 1 and not any(piece.has_begun for piece in group):
                self.run(RunningBatch(self, batch.key, group))
            else:
                for piece in group:
                    self.settle(piece, problem)

    def settle(self, piece: Piece, problem: BaseException | None = None) -> None:
        """Count a piece that is done; tell those whose last one it was, or that it failed."""
        if problem is not None and not isinstance(problem, RegardError):
            logging.getLogger("regard").error("a text failed", exc_info=problem)
        with self.changed:
            submission = piece.submission
            assert submission is not None
            submission.unfinished -= 1
            if problem is not None:
                submission.problem = submission.problem or problem
                submission.is_cancelled = True
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
