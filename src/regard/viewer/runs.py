"""Runs that wait, go on and are kept; the oldest make room for new ones."""

import asyncio
import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from regard.errors import RegardError, UnknownName
from regard.freed_memory import release_memory
from regard.viewer.limits import Limits
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RunRequest, RunStatus
from regard.viewer.refusals import Busy, Dropped

if TYPE_CHECKING:
    from regard.viewer.finished_run import FinishedRun
    from regard.viewer.run_progress import RunProgress

REMEMBERED = 4096  # names of dropped runs
PATIENCE = 2  # seconds that runs have when the server stops
ENDS = ("done", "failed", "cancelled")


class Job:
    """A run on its way: what was asked, and the lines that tell about it."""

    def __init__(self, request: RunRequest) -> None:
        self.id: str = secrets.token_hex(8)
        self.request = request
        self.statuses: asyncio.Queue[RunStatus] = asyncio.Queue()
        self.loop: asyncio.AbstractEventLoop = asyncio.get_running_loop()
        self.progress: RunProgress | None = None
        self.is_cancelled: bool = False
        self.is_running: bool = False

    def report(self, status: RunStatus) -> None:
        """From any thread; nobody hears it once the server has stopped."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.statuses.put_nowait, status)

    def cancel(self) -> None:
        self.is_cancelled = True
        if self.progress is not None:
            self.progress.cancelled.set()


class RunStore:
    """The store and the queue. A job runs in a thread of its own, in which its edits and watchers live and end."""

    pool: ThreadPoolExecutor

    def __init__(self, model_store: ModelStore, limits: Limits) -> None:
        self.model_store = model_store
        self.limits = limits
        self.jobs: dict[str, Job] = {}
        self.finished: OrderedDict[str, FinishedRun] = OrderedDict()
        self.sizes: dict[str, int] = {}  # bytes of the finished runs
        self.dropped: deque[str] = deque(maxlen=REMEMBERED)
        self.lock: threading.RLock = threading.RLock()
        self.open()

    def open(self) -> None:
        """Be ready to work, again where it was closed."""
        self.pool = ThreadPoolExecutor(self.limits.running, thread_name_prefix="regard-run")

    def submit(self, request: RunRequest) -> Job:
        """Take on a run, or refuse; the page's last one is cancelled."""
        for job in list(self.jobs.values()):
            if request.page and job.request.page == request.page:
                self.cancel(job)
        if len(self.open_jobs) >= self.limits.running + self.limits.waiting:
            raise Busy(f"{len(self.jobs)} runs are going on or waiting: try again in a moment")
        if request.base is not None:
            self.get(request.base)
        job = Job(request)
        self.jobs[job.id] = job
        job.statuses.put_nowait(RunStatus(run=job.id, state="waiting"))
        self.pool.submit(self.work, job)
        return job

    async def stream(self, job: Job) -> AsyncIterator[bytes]:
        """What is told about a job, as it is told; whoever stops listening cancels it."""
        try:
            while True:
                status = await job.statuses.get()
                yield status.model_dump_json().encode() + b"\n"
                if status.state in ENDS:
                    return
        finally:
            self.cancel(job)

    def cancel(self, job: Job) -> None:
        """Stop a job, unless it is done; one that never began says so itself."""
        job.cancel()

    def work(self, job: Job) -> None:
        """The whole of a run, in a thread."""
        try:
            if not job.is_cancelled:
                self.answer(job)
            if job.is_cancelled and job.id not in self.finished:
                job.report(RunStatus(run=job.id, state="cancelled"))
        except RegardError as problem:
            job.report(RunStatus(run=job.id, state="failed", error=str(problem)))
        except MemoryError:
            job.report(RunStatus(run=job.id, state="failed", error="the machine has no memory left for this run"))
        except Exception as problem:  # the page is told; the log has the rest
            logging.getLogger("regard").exception("a run failed")
            job.report(RunStatus(run=job.id, state="failed", error=f"{type(problem).__name__}: {problem}"))
        finally:
            self.jobs.pop(job.id, None)
            release_memory()

    def answer(self, job: Job) -> None:
        job.report(RunStatus(run=job.id, state="loading"))
        task = self.model_store.get(job.request.model)
        from regard.viewer.finished_run import FinishedRun, finish_run
        from regard.viewer.run_progress import Cancelled, RunProgress

        job.progress = progress = RunProgress(job.id, job.report)
        if job.is_cancelled:
            return
        started = time.perf_counter()
        try:
            base: FinishedRun | None = None if job.request.base is None else self.get(job.request.base)
            run = finish_run(
                job.id, task, job.request, progress, self.limits, base, lambda: time.perf_counter() - started
            )
            self.store(run)
            run.build_pyramids(progress)
            self.make_room(run)
            release_memory()
            progress.at("done", 1.0)
        except Cancelled:
            self.forget(job.id)
            job.is_cancelled = True

    def store(self, run: "FinishedRun") -> None:
        """Store a run; others make room."""
        with self.lock:
            self.finished[run.id] = run
        self.make_room(run)

    def make_room(self, run: "FinishedRun") -> None:
        """Drop runs until this one fits, and measure it anew: it may have grown."""
        from regard.viewer.stored_bytes import stored_bytes

        size = stored_bytes(run)
        with self.lock:
            if run.id in self.finished:
                self.sizes[run.id] = size
            models = list(dict.fromkeys(other.own_task for other in reversed(self.finished.values())))
            for other in list(self.finished.values()):
                is_over = len(self.finished) > self.limits.stored_runs or self.stored_bytes > self.limits.stored_bytes
                holds_model = other.own_task in models[self.limits.loaded_models :]
                if (is_over or holds_model) and other.id not in (run.id, run.request.base):
                    self.drop(other.id)

    def drop(self, name: str) -> None:
        del self.finished[name]
        self.sizes.pop(name, None)
        self.dropped.append(name)

    @property
    def stored_bytes(self) -> int:
        """What the finished runs take."""
        with self.lock:
            return sum(self.sizes.values())

    @property
    def open_jobs(self) -> list[Job]:
        """The runs that wait or go on; jobs end in their own threads at any time."""
        return [job for job in list(self.jobs.values()) if not job.is_cancelled]

    def get(self, name: str) -> "FinishedRun":
        """A run that can be looked at."""
        with self.lock:
            if name in self.finished:
                self.finished.move_to_end(name)
                return self.finished[name]
            if name in self.dropped:
                raise Dropped("this run was dropped for newer ones: ask again")
        raise UnknownName("no such run")

    def forget(self, name: str) -> bool:
        """Cancel a job, or drop a run; False if there is neither."""
        job = self.jobs.get(name)
        if job is not None:
            job.cancel()
        with self.lock:
            is_finished = name in self.finished
            if is_finished:
                self.drop(name)
        return job is not None or is_finished

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs."""
        return not self.jobs

    def close(self) -> None:
        """Cancel everything. Whoever is in the middle of a kernel notices after it."""
        for job in list(self.jobs.values()):
            job.cancel()
        self.pool.shutdown(wait=False, cancel_futures=True)
        until = time.monotonic() + PATIENCE
        while self.jobs and time.monotonic() < until:
            time.sleep(0.02)
