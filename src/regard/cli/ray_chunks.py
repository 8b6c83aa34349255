"""Chunks of texts answered on a Ray cluster, in their order: what one process reads and writes, many machines answer.

Each worker has the model, and answers one chunk after the other. A worker that dies is started anew, and its chunk is
answered by the next; what was answered is written once, by the one process that has the file open. So whatever happens,
the output is that of one process, as far as it is there: `regard translate --resume` knows where to go on.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from regard.cli.processes import Answer, AnsweredChunk, Prepare
from regard.cli.texts import TextChunk
from regard.cluster import connect_ray
from regard.errors import RegardError

RETRIES = 3  # of a chunk whose worker died: one that kills every worker ends the command


class ChunkWorker:
    """What runs on the machines of a cluster."""

    def __init__(self, prepare: Prepare) -> None:
        from regard.engine.threads import set_thread_count

        set_thread_count(1)
        self.run: Answer = prepare()

    def answer(self, chunk: TextChunk) -> AnsweredChunk:
        return self.run(chunk)


class RayPool:
    """So many workers, or one for each processor of the cluster."""

    def __init__(self, count: int | None) -> None:
        self.ray: Any = connect_ray()
        self.count: int = count or max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        self.workers: list[Any] = []

    def __call__(self, chunks: Iterable[TextChunk], prepare: Prepare) -> Iterator[AnsweredChunk]:
        """All chunks answered, in their order; each worker has one that it works at and one that waits."""
        if not self.workers:
            actor = self.ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(ChunkWorker)
            self.workers = [actor.remote(prepare) for _ in range(self.count)]
        waiting: deque[Any] = deque()
        for number, chunk in enumerate(chunks):
            waiting.append(self.workers[number % self.count].answer.remote(chunk))
            if len(waiting) >= 2 * self.count:
                yield self.result(waiting.popleft())
        while waiting:
            yield self.result(waiting.popleft())

    def result(self, reference: Any) -> AnsweredChunk:
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as problem:
            raise getattr(problem, "cause", problem) from None
        except self.ray.exceptions.RayError as problem:
            cause = getattr(problem, "cause", None)
            if isinstance(cause, RegardError):
                raise cause from None
            line = str(problem).partition("\n")[0]
            raise RegardError(f"a chunk of texts could not be answered in {1 + RETRIES} attempts: {line}") from None
