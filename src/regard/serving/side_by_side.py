"""The pieces of a batch while they are written: every few steps others join, and each leaves when it is done."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from regard.serving.batching import Piece, RunningBatch

if TYPE_CHECKING:
    from regard.decoding.running import RunningTexts
    from regard.tasks.generation_config import GenerationConfig

Part = TypeVar("Part")
STEPS_BETWEEN = 4  # others join after so many: those that join together are searched for together, in less time


@runtime_checkable
class PieceJob(Protocol):
    """A piece under way; `is_apart` after it failed among others."""

    piece: Piece
    is_apart: bool

    @property
    def problem(self) -> Exception | None: ...

    @property
    def is_over(self) -> bool: ...


@runtime_checkable
class PieceWriter(Protocol):
    """How a kind of pieces is written. Jobs are of its own kind."""

    running: "RunningTexts"

    def begin(self, piece: Piece) -> Any: ...

    def join(self, jobs: Sequence[Any], *, is_apart: bool = False) -> None:
        """Jobs are written from now on."""
        ...

    def finish(self, job: Any) -> bool:
        """Whether the piece of a job that is over has its result; else the job is to join once more."""
        ...


class SideBySide:
    """One batch, until all of it is done."""

    def __init__(self, writer: PieceWriter, batch: RunningBatch) -> None:
        self.writer = writer
        self.batch = batch
        self.jobs: list[PieceJob] = []
        self.joining: list[PieceJob] = []

    def run(self) -> None:
        steps = 0
        while True:
            if not self.jobs or steps % STEPS_BETWEEN == 0:
                for piece in self.batch.take():
                    self.begin(piece)
            self.join()
            if not self.jobs and not self.joining:
                return
            self.writer.running.step()
            steps += 1
            self.finish()

    def begin(self, piece: Piece, *, is_apart: bool = False) -> None:
        try:
            job = self.writer.begin(piece)
        except Exception as problem:
            self.batch.settle(piece, problem)
            return
        job.is_apart = is_apart
        self.joining.append(job)

    def join(self) -> None:
        """What waits is written from now on; what failed among others, apart from them."""
        waiting, self.joining = self.joining, []
        together: list[PieceJob] = []
        for job in waiting:
            if not job.piece.is_wanted:
                self.batch.settle(job.piece)
            elif job.is_apart:
                self.join_jobs([job], is_apart=True)
            else:
                together.append(job)
        if together:
            self.join_jobs(together, is_apart=False)

    def join_jobs(self, jobs: Sequence[PieceJob], *, is_apart: bool) -> None:
        try:
            self.writer.join(jobs, is_apart=is_apart)
            self.jobs += jobs
        except Exception as problem:
            for job in jobs:
                self.give_up(job, problem)

    def give_up(self, job: PieceJob, problem: Exception) -> None:
        """A piece that failed among others is tried once more, apart from them."""
        if job.is_apart or job.piece.has_begun or not job.piece.is_wanted:
            self.batch.settle(job.piece, problem)
        else:
            self.begin(job.piece, is_apart=True)

    def finish(self) -> None:
        over = [job for job in self.jobs if job.is_over]
        self.jobs = [job for job in self.jobs if not job.is_over]
        for job in over:
            if not job.piece.is_wanted:
                self.batch.settle(job.piece)
                continue
            try:
                if job.problem is not None:
                    raise job.problem
                is_done = self.writer.finish(job)
            except Exception as problem:
                self.give_up(job, problem)
                continue
            if is_done:
                self.batch.settle(job.piece)
            else:
                self.joining.append(job)


def by_config(pairs: "Iterable[tuple[GenerationConfig, Part]]") -> "list[tuple[GenerationConfig, list[Part]]]":
    """What is written in the same way together, in their order."""
    groups: dict[GenerationConfig, list[Part]] = {}
    for config, part in pairs:
        groups.setdefault(config, []).append(part)
    return list(groups.items())
